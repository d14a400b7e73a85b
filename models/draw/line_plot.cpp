#include <slope/models/draw/line_plot.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slope::draw {

namespace {

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  // by a share of its length on both sides; to length 1 if it is empty
  void widen(double share) {
    if (!(high >= low)) low = 0, high = 1;
    if (high == low) low -= 0.5, high += 0.5;
    const double margin = share * (high - low);
    low -= margin, high += margin;
  }
};

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

}  // namespace

std::string to_svg(const LinePlot& plot) {
  constexpr double left = 64, right = 24, top = 48, bottom = 56;
  Range x, y;
  for (const Series& series : plot.series)
    for (const Point& p : series.points)
      if (finite(p)) x.add(p.x), y.add(p.y);
  const bool empty = !(x.high >= x.low);
  x.widen(0), y.widen(0.04);
  const double w = plot.width - left - right, h = plot.height - top - bottom;
  const auto at = [&](Point p) {
    return Point{left + (p.x - x.low) / (x.high - x.low) * w,
                 top + (y.high - p.y) / (y.high - y.low) * h};
  };

  Svg svg(plot.width, plot.height, plot.title);
  svg.text({left, 28}, plot.title, {.size = 16, .bold = true});
  const std::vector<double> x_ticks = nice_ticks(x.low, x.high, 8),
                            y_ticks = nice_ticks(y.low, y.high, 6);
  const auto step = [](const std::vector<double>& ticks) {
    return ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  };
  for (double v : y_ticks) {
    const Point p = at({x.low, v});
    svg.line(p, {left + w, p.y}, "stroke=\"#e4e8ec\"");
    svg.text({left - 8, p.y + 4}, tick_label(v, step(y_ticks)),
             {.anchor = "end", .color = "#57606a"});
  }
  for (double v : x_ticks) {
    const Point p = at({v, y.low});
    svg.line(p, {p.x, p.y + 5}, "stroke=\"#8c959f\"");
    svg.text({p.x, p.y + 20}, tick_label(v, step(x_ticks)),
             {.anchor = "middle", .color = "#57606a"});
  }
  svg.polyline({{left, top}, {left, top + h}, {left + w, top + h}}, "stroke=\"#8c959f\"");
  svg.text({left + w / 2, plot.height - 14}, plot.x_label, {.size = 13, .anchor = "middle"});
  svg.text({18, top + h / 2}, plot.y_label, {.size = 13, .anchor = "middle", .turn = -90});
  if (empty)
    svg.text({left + w / 2, top + h / 2}, "no points yet",
             {.size = 14, .anchor = "middle", .color = "#8c959f"});

  for (const Series& series : plot.series) {
    std::vector<Point> points;
    for (const Point& p : series.points)
      if (finite(p)) points.push_back(at(p));
    const std::string opacity =
        series.opacity < 1 ? fmt::format(" opacity=\"{}\"", number(series.opacity)) : "";
    if (points.size() > 1)
      svg.polyline(points,
                   fmt::format("stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}",
                               series.color, number(series.width), opacity));
    if (series.dots || points.size() == 1)
      for (const Point& p : points)
        svg.circle(p, 3.4, fmt::format("fill=\"{}\" stroke=\"#ffffff\"", series.color));
  }

  double legend_width = 0, row = top + 18;
  for (const Series& series : plot.series)
    legend_width = std::max(legend_width, text_width(series.name, 12.5));
  for (const Series& series : plot.series) {
    if (series.name.empty()) continue;
    const double start = plot.legend_at_left ? left + 16 : left + w - legend_width - 44;
    svg.line({start, row - 4}, {start + 24, row - 4},
             fmt::format("stroke=\"{}\" stroke-width=\"2.4\"", series.color));
    if (series.dots)
      svg.circle({start + 12, row - 4}, 3.4,
                 fmt::format("fill=\"{}\" stroke=\"#ffffff\"", series.color));
    svg.text({start + 32, row}, series.name, {.size = 12.5});
    row += 20;
  }
  return svg.str();
}

}  // namespace slope::draw
