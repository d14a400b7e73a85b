#include <slope/core/error.h>
#include <slope/models/draw/boundary.h>
#include <slope/models/draw/svg.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slope::draw {

namespace {

constexpr double width = 720, margin = 24, head = 48;

// The colour of probability p: from label 0's colour, through white at 1/2, to label 1's.
Color shade(double p) {
  if (!std::isfinite(p)) return {0, 0, 0};
  const double strength = std::abs(2 * p - 1) * 0.55;
  const auto mix = [&](int full) {
    return static_cast<int>(std::lround(255 + (full - 255) * strength));
  };
  return p < 0.5 ? Color{mix(31), mix(111), mix(235)} : Color{mix(207), mix(87), mix(34)};
}

}  // namespace

void Boundary::fit() {
  if (points.empty()) return;
  const auto [x_low, x_high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  const auto [y_low, y_high] = std::minmax_element(
      points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
  const double dx = 0.1 * (x_high->x - x_low->x) + 0.05, dy = 0.1 * (y_high->y - y_low->y) + 0.05;
  left = x_low->x - dx;
  right = x_high->x + dx;
  bottom = y_low->y - dy;
  top = y_high->y + dy;
}

std::vector<float> Boundary::grid() const {
  std::vector<float> xy;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const double u = (static_cast<double>(c) + 0.5) / static_cast<double>(columns);
      const double v = (static_cast<double>(r) + 0.5) / static_cast<double>(rows);
      xy.push_back(static_cast<float>(left + u * (right - left)));
      xy.push_back(static_cast<float>(bottom + v * (top - bottom)));
    }
  return xy;
}

std::string to_svg(const Boundary& b) {
  SLOPE_CHECK_SHAPE(static_cast<int64_t>(b.probabilities.size()) == b.rows * b.columns,
                    "boundary: {} probabilities for {} rows and {} columns", b.probabilities.size(),
                    b.rows, b.columns);
  const double w = width - 2 * margin,
               h = w * static_cast<double>(b.rows) / static_cast<double>(b.columns);
  const double cell_w = w / static_cast<double>(b.columns),
               cell_h = h / static_cast<double>(b.rows);
  const auto at = [&](double x, double y) {
    return Point{margin + (x - b.left) / (b.right - b.left) * w,
                 head + (b.top - y) / (b.top - b.bottom) * h};
  };
  Svg svg(width, head + h + margin, b.title);
  svg.text({margin, 28}, b.title, {.size = 16, .bold = true});
  for (int64_t r = 0; r < b.rows; ++r)
    for (int64_t c = 0; c < b.columns;) {  // equal neighbours are one rectangle
      const auto color = [&](int64_t k) {
        return to_hex(shade(b.probabilities[static_cast<size_t>(r * b.columns + k)]));
      };
      int64_t end = c + 1;
      while (end < b.columns && color(end) == color(c)) ++end;
      svg.rect(margin + static_cast<double>(c) * cell_w,
               head + h - static_cast<double>(r + 1) * cell_h,
               static_cast<double>(end - c) * cell_w + 0.3, cell_h + 0.3,
               fmt::format("fill=\"{}\"", color(c)));
      c = end;
    }
  for (const LabelledPoint& p : b.points)
    svg.circle(at(p.x, p.y), 3,
               fmt::format("fill=\"{}\" stroke=\"#ffffff\"", p.label ? "#a63d0f" : "#0b4fb3"));
  return svg.str();
}

}  // namespace slope::draw
