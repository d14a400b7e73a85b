#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/models/run/curves/read_log.h>
#include <slope/models/run/json.h>

#include <nlohmann/json.hpp>

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
    const nlohmann::ordered_json line = parse_json(std::string(text), place);
    SLOPE_CHECK_INPUT(line.is_object(), "{}: not a JSON object", place);
    if (!line.contains("step") || !line["step"].is_number()) continue;
    for (const auto& [key, value] : line.items())
      if (value.is_number())
        curves[key].push_back({line["step"].get<double>(), value.get<double>()});
  }
  return curves;
}

Curve without_partial_window(Curve points) {
  const size_t n = points.size();
  if (n < 2) return points;
  const double before = points[n - 2].x - (n > 2 ? points[n - 3].x : 0);
  if (points[n - 1].x - points[n - 2].x < before) points.pop_back();
  return points;
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
