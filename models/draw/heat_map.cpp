#include <slope/core/error.h>
#include <slope/models/draw/heat_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace slope::draw {

Color heat_color(double value) {
  struct Anchor {
    double r, g, b;
  };
  static constexpr std::array<Anchor, 6> anchors = {{{250, 250, 248},
                                                     {205, 229, 236},
                                                     {124, 190, 205},
                                                     {46, 134, 171},
                                                     {31, 78, 134},
                                                     {22, 24, 74}}};
  // most weights are small: the power gives them more of the scale
  const double spread = std::pow(std::clamp(std::isfinite(value) ? value : 0, 0.0, 1.0), 0.75);
  const double t = spread * (anchors.size() - 1);
  const auto i = std::min(static_cast<size_t>(t), anchors.size() - 2);
  const auto mix = [f = t - static_cast<double>(i)](double a, double b) {
    return static_cast<int>(std::lround(a + f * (b - a)));
  };
  const Anchor &a = anchors[i], &b = anchors[i + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

int64_t panel_columns(int64_t panels) {
  const double root = std::sqrt(static_cast<double>(panels));
  for (auto c = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(root)));
       static_cast<double>(c) <= 2 * root; ++c)
    if (panels % c == 0) return c;
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(root)));
}

namespace {

constexpr double label_size = 11.5, label_limit = 96;  // of labels: font size, largest width
constexpr double slant = 0.7071;                       // column labels are turned by 45 degrees

double longest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, label_size));
  return std::min(width, label_limit);
}

void color_scale(Svg& svg, double x, double y, double height) {
  constexpr int steps = 50;
  for (int i = 0; i < steps; ++i) {
    const std::string fill = fmt::format("fill=\"{}\"", to_hex(heat_color(1 - (i + 0.5) / steps)));
    svg.rect(x, y + i * height / steps, 12, height / steps + 0.4, fill);
  }
  svg.rect(x, y, 12, height, "fill=\"none\" stroke=\"#8c959f\" stroke-width=\"0.8\"");
  for (double v : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const double at = y + (1 - v) * height;
    svg.line({x + 12, at}, {x + 16, at}, "stroke=\"#8c959f\" stroke-width=\"0.8\"");
    svg.text({x + 20, at + 4}, tick_label(v, 0.2), {.size = 11, .color = "#57606a"});
  }
}

}  // namespace

std::string to_svg(const HeatMaps& maps) {
  const size_t R = maps.rows.size(), C = maps.columns.size();
  for (const Panel& panel : maps.panels)
    SLOPE_CHECK_SHAPE(panel.values.size() == R * C,
                      "heat map: {} values are not {} rows x {} columns", panel.values.size(), R,
                      C);
  const auto P = static_cast<int64_t>(maps.panels.size());
  const int64_t across = panel_columns(P), down = P == 0 ? 0 : (P + across - 1) / across;
  const double cell =
      std::clamp(300.0 / static_cast<double>(std::max<size_t>({R, C, 1})), 13.0, 24.0);
  const double w = cell * static_cast<double>(C), h = cell * static_cast<double>(R);  // of a panel
  const double row_labels = longest(maps.rows) + 10,
               column_labels = longest(maps.columns) * slant + 14;
  const double left = 34 + row_labels, top = 48, gap_x = 22, gap_y = 34, scale = 74;
  const double across_d = static_cast<double>(across), down_d = static_cast<double>(down);
  const double grid_w = across_d * w + (across_d - 1) * gap_x,
               grid_h = down_d * h + std::max(0.0, down_d - 1) * gap_y;
  const double width = std::max(left + grid_w + scale, text_width(maps.title, 17) * 1.3 + 48);
  Svg svg(width, top + 24 + grid_h + column_labels + 34, maps.title);
  svg.text({24, 32}, maps.title, {.size = 17, .bold = true});

  for (int64_t p = 0; p < P; ++p) {
    const Panel& panel = maps.panels[static_cast<size_t>(p)];
    const double x = left + static_cast<double>(p % across) * (w + gap_x),
                 y = top + 24 + static_cast<double>(p / across) * (h + gap_y);
    svg.text({x + w / 2, y - 9}, panel.title,
             {.size = 13, .anchor = "middle", .color = "#424a53", .bold = true});
    svg.rect(x, y, w, h, fmt::format("fill=\"{}\"", to_hex(heat_color(0))));
    for (size_t r = 0; r < R; ++r)
      for (size_t c = 0; c < C; ++c) {
        const double v = panel.values[r * C + c];
        if (!(v >= 0.004)) continue;  // as light as the background
        const std::string tooltip =
            v < 0.05 ? "" : fmt::format("{} · {}: {:.2f}", maps.rows[r], maps.columns[c], v);
        svg.rect(x + static_cast<double>(c) * cell, y + static_cast<double>(r) * cell, cell, cell,
                 fmt::format("fill=\"{}\"", to_hex(heat_color(v))), tooltip);
      }
    svg.rect(x, y, w, h, "fill=\"none\" stroke=\"#afb8c1\" stroke-width=\"0.8\"");
    if (p % across == 0)
      for (size_t r = 0; r < R; ++r)
        svg.text({x - 7, y + (static_cast<double>(r) + 0.5) * cell + 4},
                 shorten(maps.rows[r], label_size, label_limit),
                 {.size = label_size, .anchor = "end"});
    if (p + across >= P)  // nothing is below
      for (size_t c = 0; c < C; ++c)
        svg.text({x + (static_cast<double>(c) + 0.5) * cell + 4, y + h + 13},
                 shorten(maps.columns[c], label_size, label_limit),
                 {.size = label_size, .anchor = "end", .turn = -45});
  }
  if (P > 0 && R > 0 && C > 0) {
    svg.text({22, top + 24 + grid_h / 2}, maps.row_axis,
             {.size = 13, .anchor = "middle", .color = "#57606a", .turn = -90});
    svg.text({left + grid_w / 2, top + 24 + grid_h + column_labels + 18}, maps.column_axis,
             {.size = 13, .anchor = "middle", .color = "#57606a"});
    color_scale(svg, left + grid_w + 24, top + 24, std::min(grid_h, 220.0));
  }
  return svg.str();
}

}  // namespace slope::draw
