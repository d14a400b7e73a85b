// The layered drawing: arrows go down, boxes of a layer do not overlap, few arrows
// cross, nothing recurses.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/draw/graph_layout.h>
#include <slope/models/draw/graph_svg.h>

#include <cmath>
#include <map>

#include "well_formed.h"

using namespace slope;
using namespace slope::draw;
using slope::test::count;
using slope::test::well_formed;

namespace {

void check_layout(const GraphLayout& layout, const std::vector<double>& widths,
                  const std::vector<Arrow>& arrows, double gap) {
  for (const Arrow& a : arrows)
    CHECK(layout.layer[static_cast<size_t>(a.from)] < layout.layer[static_cast<size_t>(a.to)]);
  std::map<int64_t, std::vector<size_t>> rows;
  for (size_t i = 0; i < widths.size(); ++i) {
    rows[layout.layer[i]].push_back(i);
    CHECK(layout.x[i] - widths[i] / 2 >= -1e-9);
    CHECK(layout.x[i] + widths[i] / 2 <= layout.width + 1e-9);
  }
  CHECK(static_cast<int64_t>(rows.size()) == layout.layers);
  for (auto& [layer, row] : rows) {
    std::sort(row.begin(), row.end(),
              [&](size_t a, size_t b) { return layout.x[a] < layout.x[b]; });
    for (size_t k = 1; k < row.size(); ++k)
      CHECK(layout.x[row[k]] - layout.x[row[k - 1]] >=
            (widths[row[k]] + widths[row[k - 1]]) / 2 + gap - 1e-9);
  }
}

}  // namespace

TEST_CASE("graph layout: a chain is straight, a diamond symmetric") {
  const GraphLayout chain = layered_layout({40, 80, 20}, {{0, 1}, {1, 2}}, 10);
  CHECK(chain.layers == 3);
  CHECK(chain.x[0] == doctest::Approx(chain.x[1]));
  CHECK(chain.x[1] == doctest::Approx(chain.x[2]));
  CHECK(chain.width == 80);

  const std::vector<Arrow> arrows = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const GraphLayout diamond = layered_layout({30, 30, 30, 30}, arrows, 10);
  check_layout(diamond, {30, 30, 30, 30}, arrows, 10);
  CHECK(diamond.layer == std::vector<int64_t>{0, 1, 1, 2});
  CHECK(diamond.x[0] == doctest::Approx((diamond.x[1] + diamond.x[2]) / 2));
  CHECK(diamond.x[3] == doctest::Approx(diamond.x[0]));
}

TEST_CASE(
    "graph layout: what has nothing above it stands just over its reader; long arrows bend through "
    "the layers between") {
  const std::vector<Arrow> arrows = {{0, 1}, {1, 2}, {2, 4}, {3, 4}, {0, 4}};
  const GraphLayout layout = layered_layout({20, 20, 20, 20, 20}, arrows, 5);
  CHECK(layout.layer == std::vector<int64_t>{0, 1, 2, 2, 3});
  REQUIRE(layout.bends[4].size() == 2);
  CHECK(layout.bends[4][0].layer == 1);
  // the arrow passes beside the box, not through it
  CHECK(std::abs(layout.bends[4][0].x - layout.x[1]) >= 13 + 5 - 1e-9);
}

// two rows; each box of the lower row belongs under its own
TEST_CASE("graph layout: crossings that can be avoided are") {
  const std::vector<Arrow> arrows = {{0, 7}, {1, 6}, {2, 5}, {3, 4}};
  const GraphLayout layout = layered_layout(std::vector<double>(8, 10), arrows, 4);
  for (const Arrow& a : arrows)
    CHECK(layout.x[static_cast<size_t>(a.from)] ==
          doctest::Approx(layout.x[static_cast<size_t>(a.to)]));
}

TEST_CASE("graph layout: random graphs, none, and arrows that go backwards") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const RandomSite site{.seed = seed};
    const auto n = static_cast<int64_t>(2 + uniform_below(site, 0, 60));
    std::vector<double> widths;
    std::vector<Arrow> arrows;
    for (int64_t i = 0; i < n; ++i) {
      widths.push_back(10 + 100 * uniform_f64(site, 1000 + i));
      for (int k = 0; i > 0 && k < 2; ++k)
        arrows.push_back(
            {static_cast<int64_t>(uniform_below(site, 2000 + 2 * i + k, static_cast<uint64_t>(i))),
             i});
    }
    check_layout(layered_layout(widths, arrows, 12), widths, arrows, 12);
  }
  CHECK(layered_layout({}, {}, 5).layers == 0);
  CHECK_THROWS_AS(layered_layout({1, 1}, {{1, 0}}, 5), UsageError);
  CHECK_THROWS_AS(layered_layout({1, 1}, {{0, 2}}, 5), UsageError);
}

TEST_CASE("graph svg: a box for each node in its colour, an arrow for each edge") {
  const Tensor x = ones({2, 3}).set_requires_grad(), w = ones({3, 4}).set_requires_grad();
  const Graph graph =
      graph_of({tanh(matmul(x, w)), sum(x)}, {.names = {{"<x>", x}, {"layer.0.weight", w}}});
  const std::string svg = to_svg(graph, "a & b");
  CHECK(well_formed(svg));
  CHECK(count(svg, "fill=\"#d3e8fb\"") == 2);
  CHECK(count(svg, "fill=\"#eceff2\"") == 3);
  CHECK(count(svg, "fill=\"#d3f0c4\"") == 2);
  CHECK(count(svg, "marker-end") == graph.edges.size());
  CHECK(svg.find("&lt;x&gt;") != std::string::npos);
  CHECK(svg.find(">layer.0.weight<") != std::string::npos);
  CHECK(svg == to_svg(graph, "a & b"));
  CHECK(well_formed(to_svg(Graph{})));
}

TEST_CASE("graph svg: 100,000 operations, and a leaf that many of them read") {
  const Tensor x = ones({1}).set_requires_grad();
  Tensor y = x;
  for (int i = 0; i < 50000; ++i) y = -(y * x);
  const std::string svg = to_svg(graph_of({y}));
  CHECK(count(svg, "<rect") == 100000 + 3);
}
