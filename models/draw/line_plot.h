// A line plot: several series over one pair of axes, with ticks at round numbers and a legend above
// the curves.
#pragma once

#include <slope/models/draw/svg.h>

#include <cstdint>

namespace slope::draw {

struct Series {
  std::string name = {};           // in the legend; not listed if empty
  std::vector<Point> points = {};  // those that an axis cannot show are left out
  std::string color = {};          // drawn without dashes; empty: from the palette
  // index into the palette, which repeats its colors with dashes; -1: the next
  int64_t number = -1;
  bool dots = false;  // a dot at each point
  double width = 1.8, opacity = 1;
};

struct LinePlot {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};
  bool log_x = false, log_y = false;  // logarithmic axes show positive numbers
  double width = 760, height = 440;   // the legend's further rows add to the height
};

std::string to_svg(const LinePlot& plot);
std::string to_svg(const std::vector<LinePlot>& plots);  // one below the other, of the same width

}  // namespace slope::draw
