// The graph of a computation as SVG, from top to bottom: leaves blue, operations grey with the
// module that ran them, outputs green.
#pragma once

#include <slope/autograd/graph/graph.h>

namespace slope::draw {

std::string to_svg(const Graph& graph, const std::string& title = "");

}  // namespace slope::draw
