#include <slope/models/draw/line_plot.h>
#include <slope/models/run/curves/loss_plot.h>
#include <slope/models/run/curves/read_log.h>

#include <string_view>

namespace slope::train {

namespace {

constexpr std::string_view end = "</svg>\n";
constexpr std::string_view marked_end = "<desc>drawn by slope from log.jsonl</desc>\n</svg>\n";

}  // namespace

std::string loss_plot(const std::string& log_jsonl_path) {
  std::map<std::string, Curve> curves = read_log(log_jsonl_path);
  const Curve &training = curves["loss"], &validation = curves["validation_loss"];
  draw::LinePlot plot{
      .title = "Loss", .x_label = "step", .y_label = "nats per token", .series = {}};
  if (!training.empty())
    plot.series.push_back({.name = "training",
                           .points = thinned(in_full_windows(training)),
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
