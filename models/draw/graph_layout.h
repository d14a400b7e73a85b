// Places the boxes of a directed graph in layers from top to bottom, so that every arrow points
// down and few cross (Sugiyama, Tagawa and Toda, 1981). Nothing recurses; 100,000 boxes take about
// a second.
#pragma once

#include <slope/models/draw/svg.h>

#include <cstdint>

namespace slope::draw {

struct Arrow {
  int64_t from, to;  // from < to: boxes come in a topological order
};

struct GraphLayout {
  std::vector<int64_t> layer;  // of each box; 0 is the top
  std::vector<double> x;       // the middle of each box
  struct Bend {
    int64_t layer;
    double x;
  };
  // for each arrow: where it crosses the layers between its ends
  std::vector<std::vector<Bend>> bends;
  int64_t layers = 0;
  double width = 0;
};

// `widths` of the boxes; `gap` between two boxes of a layer. UsageError if an arrow points
// backwards.
GraphLayout layered_layout(const std::vector<double>& widths, const std::vector<Arrow>& arrows,
                           double gap);

}  // namespace slope::draw
