// A line plot: several series over one pair of axes, with ticks at round numbers and a legend.
#pragma once

#include <slope/models/draw/svg.h>

namespace slope::draw {

struct Series {
  std::string name = {};           // in the legend; not listed if empty
  std::vector<Point> points = {};  // points that are not finite are left out
  std::string color = "#1f6feb";
  bool dots = false;  // a dot at each point
  double width = 1.8, opacity = 1;
};

struct LinePlot {
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};
  double width = 760, height = 440;
  bool legend_at_left = false;  // for curves that rise
};

std::string to_svg(const LinePlot& plot);

}  // namespace slope::draw
