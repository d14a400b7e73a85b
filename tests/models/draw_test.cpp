// Drawings: well-formed XML whatever the labels are, the same bytes each time, numbers in the
// right places.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/models/draw/axis.h>
#include <slope/models/draw/boundary.h>
#include <slope/models/draw/heat_map.h>
#include <slope/models/draw/line_plot.h>
#include <slope/models/draw/terminal_map.h>
#include <slope/models/run/curves/loss_plot.h>
#include <slope/tests/temporary_folder.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <set>

#include "well_formed.h"

using namespace slope::draw;
using slope::InputError;
using slope::IoError;
using slope::ShapeError;
using slope::test::count;
using slope::test::TemporaryFolder;
using slope::test::well_formed;

TEST_CASE("svg: numbers are short and finite") {
  CHECK(number(12.5) == "12.5");
  CHECK(number(3) == "3");
  CHECK(number(-0.001) == "0");
  CHECK(number(1.0 / 3) == "0.33");
  CHECK(number(NAN) == "0");
  CHECK(number(INFINITY) == "0");
  CHECK(to_hex({255, 0, 16}) == "#ff0010");
}

TEST_CASE("svg: text is escaped, and what XML forbids is replaced") {
  CHECK(escape("a < b & \"c\" > d") == "a &lt; b &amp; &quot;c&quot; &gt; d");
  CHECK(escape("Mädchen 你好") == "Mädchen 你好");
  CHECK(escape(std::string("a\0b\x01", 4)) == "a\uFFFDb\uFFFD");
  CHECK(escape("\xC3(") == "\uFFFD(");
}

TEST_CASE("svg: a long text is shortened to its width") {
  CHECK(shorten("short", 12, 100) == "short");
  const std::string text = shorten("Donaudampfschifffahrtsgesellschaft", 12, 80);
  CHECK(text.ends_with("…"));
  CHECK(text_width(text, 12) <= 80);
  CHECK(text.starts_with("Donau"));
}

TEST_CASE("svg: ticks are round numbers within the range") {
  CHECK(nice_ticks(0, 1, 5) == std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1});
  CHECK(nice_ticks(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(nice_ticks(-3, 3, 3) == std::vector<double>{-2, 0, 2});
  CHECK(nice_ticks(5, 5, 4) == std::vector<double>{5});
  CHECK(nice_ticks(0, std::numeric_limits<double>::infinity(), 4).size() == 1);
  CHECK(nice_ticks(1e17, 1e17 + 64, 6).size() <= 8);
  // a fifth of it is 0
  CHECK(nice_ticks(0, std::numeric_limits<double>::denorm_min(), 5) == std::vector<double>{0});
  CHECK(nice_ticks(-1e308, 1e308, 5) == std::vector<double>{-1e308});
  for (double top : {1e-9, 0.3, 7.0, 123.0, 1e12}) {
    const auto ticks = nice_ticks(0, top, 6);
    CHECK(ticks.size() >= 4);
    CHECK(ticks.size() <= 8);
    CHECK(ticks.back() <= top * (1 + 1e-9));
  }
  CHECK(tick_label(0.30000000000000004, 0.1) == "0.3");
  CHECK(tick_label(-1e-17, 0.5) == "0.0");
  CHECK(tick_label(2000, 500) == "2000");
  CHECK(tick_label(0, 2e-15) == "0");
  CHECK(tick_label(8e-15, 2e-15) == "8e-15");
  CHECK(tick_label(1e-14, 2e-15) == "1.0e-14");
  CHECK(tick_label(1000000.12, 0.02) == "1000000.12");
  CHECK(tick_label(1.25e17, 5e15) == "1.25e+17");
}

TEST_CASE("line plot: a line for each series, dots, legend") {
  const LinePlot plot{.title = "A < B",
                      .x_label = "x",
                      .y_label = "y",
                      .series = {{.name = "one", .points = {{0, 1}, {1, 2}, {2, NAN}, {3, 0.5}}},
                                 {.name = "two", .points = {{0, 0}, {3, 3}}, .dots = true}}};
  const std::string svg = to_svg(plot);
  CHECK(well_formed(svg));
  CHECK(count(svg, "<polyline") == 3);  // the axes and two series
  CHECK(count(svg, "<circle") == 3);    // two points and the legend's
  CHECK(svg.find("A &lt; B") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(to_svg(plot) == svg);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  CHECK(to_svg(plot) == svg);
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("line plot: no points, one point, equal points, only nan") {
  CHECK(to_svg(LinePlot{.series = {}}).find("no points yet") != std::string::npos);
  CHECK(count(to_svg(LinePlot{.series = {{.name = "", .points = {{5, 5}}}}}), "<circle") == 1);
  for (const std::vector<Point>& points :
       {std::vector<Point>{}, {{1, 1}, {1, 1}}, {{NAN, NAN}}, {{-1e300, 1}, {1e300, 2}}}) {
    const std::string svg = to_svg(LinePlot{.series = {{.name = "s", .points = points}}});
    CHECK(well_formed(svg));
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE(
    "line plot: series without a color of their own look different, in the plot and the legend") {
  LinePlot plot;
  for (int i = 0; i < 20; ++i)
    plot.series.push_back({.name = "run " + std::to_string(i), .points = {{0, 1. * i}, {1, 2}}});
  const std::string svg = to_svg(plot);
  CHECK(well_formed(svg));
  std::map<std::string, int> looks;  // of polylines, without their points
  for (size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) {
    const size_t stroke = svg.find("stroke=", at);
    ++looks[svg.substr(stroke, svg.find("stroke-linejoin", stroke) - stroke)];
  }
  CHECK(looks.size() == 21);  // 20 series and the axes
  for (int i = 0; i < 20; ++i) CHECK(count(svg, ">run " + std::to_string(i) + "</text>") == 1);
}

TEST_CASE("line plot: the legend is above the curves, in as many rows as it needs") {
  LinePlot plot{.series = {{.name = "a", .points = {{0, 0}, {1, 1}}}}};
  const std::string one = to_svg(plot);
  CHECK(one.find("height=\"440\"") != std::string::npos);
  plot.series.assign(6, {.name = std::string(40, 'w'), .points = {{0, 0}, {1, 1}}});
  const std::string many = to_svg(plot);
  CHECK(many.find("height=\"440\"") == std::string::npos);
  const double axis_top = std::stod(many.substr(many.find("points=\"64,") + 11));
  for (size_t at = 0; (at = many.find(">wwww", at)) != std::string::npos; ++at) {
    const size_t y = many.rfind(" y=\"", at);
    CHECK(std::stod(many.substr(y + 4)) < axis_top);
  }
}

TEST_CASE(
    "line plot: logarithmic axes have powers of ten evenly spaced, and leave out what has no "
    "logarithm") {
  Axis axis(true);
  CHECK_FALSE(axis.shows(0));
  CHECK_FALSE(axis.shows(-1));
  CHECK_FALSE(axis.shows(INFINITY));
  axis.add(1e-3), axis.add(1e3);
  CHECK(axis.share(1) == doctest::Approx(0.5));
  const std::vector<Tick> ticks = axis.ticks(8);
  REQUIRE(ticks.size() == 7);
  CHECK(ticks.front().label == "0.001");
  CHECK(ticks[3].label == "1");
  CHECK(ticks.back().label == "1000");
  Axis narrow(true);
  narrow.add(110), narrow.add(190);
  CHECK(narrow.ticks(6).size() >= 3);
  Axis wide(true);
  wide.add(1e-30), wide.add(1e30);
  CHECK(wide.ticks(6).size() <= 8);
  Axis two(true);
  two.add(1), two.add(50);
  CHECK(two.ticks(8).size() == 6);  // 1 2 5 10 20 50
  const std::string svg =
      to_svg(LinePlot{.series = {{.points = {{1, 0}, {10, 1}, {100, 10}}, .dots = true}},
                      .log_x = true,
                      .log_y = true});
  CHECK(well_formed(svg));
  CHECK(count(svg, "<circle") == 2);
  CHECK(well_formed(to_svg(LinePlot{.series = {{.points = {{0, -1}}}}, .log_y = true})));
}

TEST_CASE("heat map: colours darken from almost white") {
  const auto luminance = [](Color c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; };
  for (int i = 0; i < 100; ++i)
    CHECK(luminance(heat_color(i / 100.0)) > luminance(heat_color((i + 1) / 100.0)));
  CHECK(luminance(heat_color(0)) > 240);
  CHECK(luminance(heat_color(1)) < 50);
  CHECK(to_hex(heat_color(-3)) == to_hex(heat_color(0)));
  CHECK(to_hex(heat_color(NAN)) == to_hex(heat_color(0)));
}

TEST_CASE("heat map: panels in a grid") {
  CHECK(panel_columns(1) == 1);
  CHECK(panel_columns(2) == 2);
  CHECK(panel_columns(4) == 2);
  CHECK(panel_columns(6) == 3);
  CHECK(panel_columns(7) == 3);
  CHECK(panel_columns(8) == 4);
  CHECK(panel_columns(12) == 4);
  CHECK(panel_columns(16) == 4);
}

namespace {
HeatMaps two_by_three(size_t panels) {
  HeatMaps maps{.title = "T",
                .rows = {"a", "<b>"},
                .columns = {"x", "y", "z&"},
                .row_axis = "rows",
                .column_axis = "columns",
                .panels = {}};
  for (size_t p = 0; p < panels; ++p)
    maps.panels.push_back({"head " + std::to_string(p + 1), {1, 0, 0.5f, 0, 0.25f, 0.75f}});
  return maps;
}
}  // namespace

TEST_CASE("heat map: cells, labels on both axes, tooltips") {
  const std::string svg = to_svg(two_by_three(8));
  CHECK(well_formed(svg));
  // the picture's title, and one for each cell that is not zero
  CHECK(count(svg, "<title>") == 1 + 8 * 4);
  CHECK(count(svg, ">&lt;b&gt;</text>") == 2);  // two rows of panels
  CHECK(count(svg, ">z&amp;</text>") == 4);     // four columns of panels
  CHECK(svg.find("&lt;b&gt; · y: 0.25") != std::string::npos);
  CHECK(svg == to_svg(two_by_three(8)));
  CHECK(well_formed(to_svg(two_by_three(0))));
  CHECK(well_formed(to_svg(HeatMaps{.panels = {{"empty", {}}}})));
  HeatMaps wrong = two_by_three(1);
  wrong.panels[0].values.pop_back();
  CHECK_THROWS_AS(to_svg(wrong), ShapeError);
  CHECK_THROWS_AS(to_text(wrong), ShapeError);
}

TEST_CASE("terminal map: shades, labels, panels side by side as far as the width goes") {
  CHECK(to_text(two_by_three(1)) ==
        "T\n"
        "    head 1\n"
        "  a ██  ▓▓\n"
        "<b>   ▒▒██\n"
        "    x y z\n"
        "        &\n"
        "\n");
  const std::string wide = to_text(two_by_three(3), {.width = 100}),
                    narrow = to_text(two_by_three(3), {.width = 10});
  CHECK(count(wide, "\n") == 1 + 6);
  CHECK(count(narrow, "\n") == 1 + 3 * 6);
  CHECK(wide.find('\x1b') == std::string::npos);
  CHECK(count(to_text(two_by_three(1), {.color = true}), "\x1b[48;2;") == 6);
}

TEST_CASE("line plot: values so large that adding 1 does not change them") {
  for (const double value : {1e17, -1e17, 1e299, 1e-4, 1e-300}) {
    const std::string svg = to_svg(
        LinePlot{.title = "t", .series = {{.name = "s", .points = {{1, value}, {2, value}}}}});
    CHECK(well_formed(svg));
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.find(">0<") == std::string::npos);  // the axis is around the value
  }
  CHECK(to_svg(LinePlot{.title = "t",
                        .series = {{.name = "s", .points = {{1, -1.7e308}, {2, 1.7e308}}}}})
            .find("no points yet") != std::string::npos);
}

TEST_CASE("line plot: labels of ticks are whole, and none covers another") {
  const std::string svg = to_svg(
      LinePlot{.title = "t",
               .series = {{.name = "s", .points = {{1e9, 123456.789}, {1e9 + 1, 123456.7891}}}}});
  CHECK(well_formed(svg));
  double free = 0;  // where the next label of the x axis may begin
  for (size_t at = 0; (at = svg.find("<text x=\"", at)) != svg.npos; ++at) {
    const double x = std::stod(svg.substr(at + 9));
    const std::string tag = svg.substr(at, svg.find('>', at) - at);
    const size_t begin = svg.find('>', at) + 1;
    const double width = text_width(svg.substr(begin, svg.find('<', begin) - begin), 12);
    if (tag.find("\"end\"") != tag.npos) CHECK(x - width > 24);  // right of the axis's name
    if (tag.find("\"middle\"") == tag.npos || tag.find("#57606a") == tag.npos) continue;
    CHECK(x - width / 2 >= free);
    free = x + width / 2;
  }
  CHECK(free > 0);
}

TEST_CASE("line plot: twenty-five series look different") {
  std::vector<Series> series;
  for (int i = 0; i < 25; ++i)
    series.push_back({.name = std::to_string(i), .points = {{0, double(i)}, {1, double(i)}}});
  const std::string svg = to_svg(LinePlot{.title = "t", .series = series});
  std::set<std::string> looks;
  for (size_t at = 0; (at = svg.find("stroke-width=\"2.4\"", at)) != svg.npos; ++at)
    looks.insert(svg.substr(at - 18, svg.find('>', at) - at + 18));
  CHECK(looks.size() == 25);
}

TEST_CASE("boundary: as many probabilities as cells") {
  CHECK_THROWS_AS((void)to_svg(Boundary{.title = "t"}), ShapeError);
}

TEST_CASE("line plot: of a name too long for the legend, the end is shown") {
  const std::string svg = to_svg(
      LinePlot{.title = "t",
               .series = {{.name = std::string(300, 'x') + "/run-7", .points = {{1, 2}, {2, 3}}}}});
  CHECK(svg.find("xx/run-7</text>") != std::string::npos);
  CHECK(svg.find(std::string(200, 'x')) == std::string::npos);
}

TEST_CASE("loss plot: curves of a log, other lines passed over") {
  const TemporaryFolder folder;
  CHECK(slope::train::loss_plot(folder.write("empty.jsonl", "")).find("no points yet") !=
        std::string::npos);
  std::string log;
  for (int step = 1; step <= 5000; ++step)
    log += "{\"step\":" + std::to_string(step) + ",\"loss\":" + std::to_string(5.0 / step) + "}\n";
  log +=
      "{\"step\":5000,\"validation_loss\":1.5,\"best\":true}\n{\"note\":\"resumed\"}\n{\"step\":"
      "5001,\"los";  // the last line was cut off
  const std::string svg = slope::train::loss_plot(folder.write("log.jsonl", log));
  CHECK(well_formed(svg));
  CHECK(svg.find("training") != std::string::npos);
  CHECK(count(svg, "<circle") == 2);
  CHECK(svg.size() < 20000);
  // a point whose window is shorter than the others' is joined with the next, or left out at the
  // end
  const auto points = [&](const std::vector<int>& steps) {
    std::string lines;
    for (int step : steps)
      lines +=
          "{\"step\":" + std::to_string(step) + ",\"loss\":" + std::to_string(1.0 / step) + "}\n";
    const std::string text = slope::train::loss_plot(folder.write("window.jsonl", lines));
    const size_t curve = text.find("<polyline", text.find("<polyline") + 1);
    return curve == std::string::npos
               ? 1
               : count(text.substr(curve, text.find("/>", curve) - curve), ",");
  };
  CHECK(points({20, 40, 60}) == 3);
  CHECK(points({20, 40, 47}) == 2);
  CHECK(points({20, 27}) == 1);
  CHECK(points({7}) == 1);
  CHECK(points({20, 40, 53, 60, 80}) == 4);  // stopped at 53
  CHECK(points({50, 100, 130, 150, 200, 250, 270, 300}) == 6);
  CHECK(points({1000, 1001, 1002, 1003}) == 4);
  CHECK_THROWS_WITH_AS(
      slope::train::loss_plot(folder.write("bad.jsonl", "{\"step\":1,\"loss\":2}\n[1]\n")),
      doctest::Contains("line 2"), InputError);
  CHECK_THROWS_AS(slope::train::loss_plot(folder.file("none.jsonl")), IoError);
}
