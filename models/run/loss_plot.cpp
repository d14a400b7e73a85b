#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/models/draw/line_plot.h>
#include <slope/models/run/json.h>
#include <slope/models/run/loss_plot.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace slope::train {

namespace {

using draw::Point;

constexpr std::string_view end = "</svg>\n";
constexpr std::string_view marked_end = "<desc>drawn by slope from log.jsonl</desc>\n</svg>\n";

// Each point of the training curve is a mean over steps; the last one is omitted if the run ended
// within its window, because it would be noisier than the others.
std::vector<Point> without_partial_window(std::vector<Point> points) {
  const size_t n = points.size();
  if (n < 2) return points;
  const double before = points[n - 2].x - (n > 2 ? points[n - 3].x : 0);
  if (points[n - 1].x - points[n - 2].x < before) points.pop_back();
  return points;
}

// At most `most` points, each the mean of equally many consecutive ones, so that the curve stays
// readable and the file small.
std::vector<Point> thinned(const std::vector<Point>& points, size_t most) {
  const size_t run = (points.size() + most - 1) / most;
  std::vector<Point> means;
  for (size_t i = 0; i + run <= points.size(); i += run) {
    Point mean{0, 0};
    for (size_t k = i; k < i + run; ++k) {
      mean.x += points[k].x / static_cast<double>(run);
      mean.y += points[k].y / static_cast<double>(run);
    }
    means.push_back(mean);
  }
  return means;
}

void read_point(const nlohmann::ordered_json& line, const char* key, std::vector<Point>& points) {
  if (line.contains("step") && line["step"].is_number() && line.contains(key) &&
      line[key].is_number())
    points.push_back({line["step"].get<double>(), line[key].get<double>()});
}

}  // namespace

std::string loss_plot(const std::string& log_jsonl_path) {
  const std::string log = read_file(log_jsonl_path);
  std::vector<Point> training, validation;
  int64_t number = 0;
  for (size_t start = 0, end; (end = log.find('\n', start)) != std::string::npos; start = end + 1) {
    ++number;
    const std::string_view text = std::string_view(log).substr(start, end - start);
    if (text.empty()) continue;
    const std::string place = fmt::format("{}, line {}", log_jsonl_path, number);
    const nlohmann::ordered_json line = parse_json(std::string(text), place);
    SLOPE_CHECK_INPUT(line.is_object(), "{}: not a JSON object", place);
    read_point(line, "loss", training);
    read_point(line, "validation_loss", validation);
  }
  draw::LinePlot plot{
      .title = "Loss", .x_label = "step", .y_label = "nats per token", .series = {}};
  if (!training.empty())
    plot.series.push_back({.name = "training",
                           .points = thinned(without_partial_window(training), 800),
                           .color = "#6ea8d8",
                           .width = 1.4});
  if (!validation.empty())
    plot.series.push_back(
        {.name = "validation", .points = validation, .color = "#c2410c", .dots = true});
  std::string svg = draw::to_svg(plot);
  svg.resize(svg.size() - end.size());
  return svg.append(marked_end);
}

bool is_loss_plot(const std::string& svg) { return svg.ends_with(marked_end); }

}  // namespace slope::train
