// Two moons, trained live: an MLP of any depth on points that the learner moves.
#pragma once

#include <slope/tools/explorer/fields.h>

namespace slope::explorer {

// "do": "points" {"n", "seed"}: the two moons, [[x, y, label], …]
//       "start" {"points": "x y label …", "hidden", "depth", "activation", "lr", "scale",
//               "momentum", "seed"}
//       "train" {"steps"}: losses, and histograms of each layer's activations and gradients
//       "map" {"size", "span"}: the probability of label 1 on a grid over the plane
//       "program" {"batch"}: forward and loss of the network as it is now, on the first "batch"
//               points, as a program in the explorer's language
std::string moons(const Fields& fields);

}  // namespace slope::explorer
