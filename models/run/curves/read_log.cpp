#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/models/run/curves/read_log.h>
#include <slope/models/run/json.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace slope::train {

std::map<std::string, Curve> read_log(const std::string& log_jsonl) {
  const std::string log = read_file(log_jsonl);
  std::map<std::string, Curve> curves;
  int64_t number = 0;
  for (size_t start = 0, end; (end = log.find('\n', start)) != std::string::npos; start = end + 1) {
    ++number;
    const std::string_view text = std::string_view(log).substr(start, end - start);
    if (text.empty()) continue;
    const std::string place = fmt::format("{}, line {}", log_jsonl, number);
    const nlohmann::json line = parse_unordered_json(std::string(text), place);
    SLOPE_CHECK_INPUT(line.is_object(), "{}: not a JSON object", place);
    if (!line.contains("step") || !line["step"].is_number()) continue;
    for (const auto& [key, value] : line.items())
      if (value.is_number())
        curves[key].push_back({line["step"].get<double>(), value.get<double>()});
  }
  return curves;
}

Curve in_full_windows(const Curve& points) {
  if (points.size() < 2) return points;
  std::vector<double> widths = {points[0].x};
  for (size_t i = 1; i < points.size(); ++i) widths.push_back(points[i].x - points[i - 1].x);
  std::vector<double> sorted = widths;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  widths[0] = std::min(widths[0], usual);  // a log may begin at any step
  Curve full;
  double steps = 0, sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    steps += widths[i];
    sum += widths[i] * points[i].y;
    if (steps < usual) continue;
    full.push_back({points[i].x, steps == widths[i] ? points[i].y : sum / steps});
    steps = sum = 0;
  }
  return full;
}

Curve thinned(const Curve& points, size_t most) {
  const size_t run = std::max<size_t>(1, (points.size() + most - 1) / most);
  Curve means;
  for (size_t i = 0; i + run <= points.size(); i += run) {
    draw::Point mean{0, 0};
    for (size_t k = i; k < i + run; ++k) {
      mean.x += points[k].x / static_cast<double>(run);
      mean.y += points[k].y / static_cast<double>(run);
    }
    means.push_back(mean);
  }
  return means;
}

}  // namespace slope::train
