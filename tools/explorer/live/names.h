// microGPT on names, trained live: one token per letter a to z, and 0 at both ends of a name.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// "do": "start" {"names": "emma olivia …", "steps", "lr", "seed"}: parameters
//       "train" {"steps"}: the losses, one per name
//       "sample" {"count", "temperature"}: new names
//       "look" {"name", "position"}: the probability of each next letter, each head's attention,
//              and the gradient of a loss with respect to that attention: the loss of the letter
//              at "position", or the mean of all (-1)
//       "trace" {"name"}: this name's training step as a tape, in the form of explore()
std::string names(const Fields& fields);

}  // namespace slope::explorer
