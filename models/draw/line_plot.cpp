#include <slope/models/draw/axis.h>
#include <slope/models/draw/line_plot.h>

#include <fmt/format.h>

#include <algorithm>

namespace slope::draw {

namespace {

constexpr double usual_left = 64, right = 24, bottom = 56, legend_size = 12.5, row_height = 20;

// Okabe and Ito's colors without yellow; people with color blindness can tell them apart.
constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#56b4e9", "#e69f00", "#000000"};
constexpr size_t colors = std::size(palette);
constexpr const char* dashes[] = {"",
                                  " stroke-dasharray=\"7 3\"",
                                  " stroke-dasharray=\"2 3\"",
                                  " stroke-dasharray=\"9 3 2 3\"",
                                  " stroke-dasharray=\"14 4\"",
                                  " stroke-dasharray=\"9 3 2 3 2 3\""};

// How a series looks: the same in the plot and in the legend.
struct Look {
  std::string color, dash;
};

std::vector<Look> looks_of(const std::vector<Series>& series) {
  std::vector<Look> looks;
  size_t next = 0;
  for (const Series& s : series) {
    if (!s.color.empty()) {
      looks.push_back({escape(s.color), ""});
      continue;
    }
    const size_t i = s.number < 0 ? next++ : static_cast<size_t>(s.number);
    looks.push_back({palette[i % colors], dashes[i / colors % std::size(dashes)]});
  }
  return looks;
}

std::string stroke(const Look& look, double width) {
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", look.color, number(width), look.dash);
}

void dot(Svg& svg, Point at, const Look& look) {
  svg.circle(at, 3.4, fmt::format("fill=\"{}\" stroke=\"#ffffff\"", look.color));
}

// Of a path, such as a run's, the end tells it apart.
std::string legend_name(const Series& s, double width) {
  return shorten(s.name, legend_size, width - 48, Keep::end);
}

// Where the entry of each series begins, from the top left of the legend; series without a name
// take no room.
std::vector<Point> legend_layout(const std::vector<Series>& series, double width) {
  std::vector<Point> places;
  Point next{0, 0};
  for (const Series& s : series) {
    const double entry = 48 + text_width(legend_name(s, width), legend_size);
    if (next.x > 0 && next.x + entry > width && !s.name.empty()) next = {0, next.y + row_height};
    places.push_back(next);
    if (!s.name.empty()) next.x += entry;
  }
  return places;
}

void draw_legend(Svg& svg, const std::vector<Series>& series, const std::vector<Look>& looks,
                 const std::vector<Point>& places, double width, double left, double top) {
  for (size_t i = 0; i < series.size(); ++i) {
    if (series[i].name.empty()) continue;
    const double x = left + places[i].x, y = top + places[i].y;
    svg.line({x, y - 4}, {x + 24, y - 4}, stroke(looks[i], 2.4));
    if (series[i].dots) dot(svg, {x + 12, y - 4}, looks[i]);
    svg.text({x + 32, y}, legend_name(series[i], width), {.size = legend_size});
  }
}

struct Drawn {
  std::string svg;
  double height;
};

Drawn draw(const LinePlot& plot) {
  Axis x(plot.log_x), y(plot.log_y);
  const auto is_shown = [&](const Point& p) { return x.shows(p.x) && y.shows(p.y); };
  for (const Series& s : plot.series)
    for (const Point& p : s.points)
      if (is_shown(p)) x.add(p.x), y.add(p.y);
  const bool empty = x.is_empty();
  x.widen(0);
  y.widen(0.04);

  const std::vector<Tick> levels = y.ticks(6), steps = x.ticks(8);
  const auto label_width = [](const Tick& tick) {
    return text_width(tick.label, TextStyle{}.size);
  };
  double left = usual_left;
  for (const Tick& tick : levels) left = std::max(left, 40 + label_width(tick));
  const double last = steps.empty() ? 0 : label_width(steps.back()) / 2,
               w = plot.width - left - std::max(right, last + 4);
  const std::vector<Look> looks = looks_of(plot.series);
  const std::vector<Point> places = legend_layout(plot.series, w);
  const bool has_legend = std::any_of(plot.series.begin(), plot.series.end(),
                                      [](const Series& s) { return !s.name.empty(); });
  const double further_rows = has_legend ? places.back().y : 0;
  const double top = 68 + further_rows, h = plot.height - 68 - bottom, height = top + h + bottom;
  const auto at = [&](Point p) {
    return Point{left + x.share(p.x) * w, top + (1 - y.share(p.y)) * h};
  };

  Svg svg(plot.width, height, plot.title);
  svg.text({left, 28}, plot.title, {.size = 16, .bold = true});
  draw_legend(svg, plot.series, looks, places, w, left, 52);
  for (const Tick& tick : levels) {
    const double level = top + (1 - y.share(tick.value)) * h;
    svg.line({left, level}, {left + w, level}, "stroke=\"#e4e8ec\"");
    svg.text({left - 8, level + 4}, tick.label, {.anchor = "end", .color = "#57606a"});
  }
  double free = 0;  // where the next label may begin
  for (const Tick& tick : steps) {
    const double place = left + x.share(tick.value) * w, half = label_width(tick) / 2;
    svg.line({place, top + h}, {place, top + h + 5}, "stroke=\"#8c959f\"");
    if (place - half < free) continue;
    free = place + half + 6;
    svg.text({place, top + h + 20}, tick.label, {.anchor = "middle", .color = "#57606a"});
  }
  svg.polyline({{left, top}, {left, top + h}, {left + w, top + h}}, "stroke=\"#8c959f\"");
  svg.text({left + w / 2, height - 14}, plot.x_label, {.size = 13, .anchor = "middle"});
  svg.text({18, top + h / 2}, plot.y_label, {.size = 13, .anchor = "middle", .turn = -90});
  if (empty)
    svg.text({left + w / 2, top + h / 2}, "no points yet",
             {.size = 14, .anchor = "middle", .color = "#8c959f"});

  for (size_t i = 0; i < plot.series.size(); ++i) {
    const Series& s = plot.series[i];
    std::vector<Point> points;
    for (const Point& p : s.points)
      if (is_shown(p)) points.push_back(at(p));
    const std::string opacity =
        s.opacity < 1 ? fmt::format(" opacity=\"{}\"", number(s.opacity)) : "";
    if (points.size() > 1)
      svg.polyline(points, stroke(looks[i], s.width) + " stroke-linejoin=\"round\"" + opacity);
    if (s.dots || points.size() == 1)
      for (const Point& p : points) dot(svg, p, looks[i]);
  }
  return {svg.str(), height};
}

}  // namespace

std::string to_svg(const LinePlot& plot) { return draw(plot).svg; }

std::string to_svg(const std::vector<LinePlot>& plots) {
  double width = 0, height = 0;
  std::string parts, title;
  for (const LinePlot& plot : plots) {
    const Drawn drawn = draw(plot);
    constexpr std::string_view begin = "<svg ";
    parts += fmt::format("<svg y=\"{}\" {}", number(height), drawn.svg.substr(begin.size()));
    title += (title.empty() ? "" : ", ") + plot.title;
    width = std::max(width, plot.width);
    height += drawn.height;
  }
  Svg all(width, height, title);
  all.raw(parts);
  return all.str();
}

}  // namespace slope::draw
