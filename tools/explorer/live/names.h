// microGPT on names, trained live: a character each token, a to z, with 0 at both ends of a name.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// "do": "start" {"names": "emma olivia …", "steps", "lr", "seed"}: parameters
//       "train" {"steps"}: the losses, a name each
//       "sample" {"count", "temperature"}: new names
//       "look" {"name", "position"}: what the model gives each next letter; attention of each head
//       and
//              its gradient with respect to the loss of one letter (-1: of all)
//       "trace" {"name"}: this name's training step as a tape, in the form of explore()
std::string names(const Fields& fields);

}  // namespace slope::explorer
