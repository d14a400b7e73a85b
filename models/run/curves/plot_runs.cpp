#include <slope/core/error.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/models/draw/line_plot.h>
#include <slope/models/run/curves/plot_runs.h>
#include <slope/models/run/curves/read_log.h>

#include <fmt/ranges.h>

#include <algorithm>

namespace slope::train {

namespace {

struct Run {
  std::string name;
  std::map<std::string, Curve> curves;
};

struct Quantity {
  const char *key, *title, *unit;
};
constexpr Quantity quantities[] = {{"loss", "Loss", "nats per token"},
                                   {"lr", "Learning rate", ""},
                                   {"gradient_norm", "Norm of the gradient", ""},
                                   {"tokens_per_second", "Tokens per second", ""}};

// Thin lines for training, thick ones with dots for validation, one colour per run.
draw::LinePlot loss_of(const std::vector<Run>& runs) {
  draw::LinePlot plot{.title = "Loss", .x_label = "step", .y_label = "nats per token"};
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto curve = [&](const char* key) {
      const auto at = runs[i].curves.find(key);
      return at == runs[i].curves.end() ? Curve{} : at->second;
    };
    const Curve training = curve("loss"), validation = curve("validation_loss");
    const auto number = static_cast<int64_t>(i);
    if (!training.empty())
      plot.series.push_back({.name = validation.empty() ? runs[i].name : "",
                             .points = thinned(in_full_windows(training)),
                             .number = number,
                             .width = 1.2,
                             .opacity = 0.6});
    if (!validation.empty())
      plot.series.push_back(
          {.name = runs[i].name, .points = validation, .number = number, .dots = true});
  }
  return plot;
}

draw::LinePlot plot_of(const std::vector<Run>& runs, const Quantity& quantity) {
  draw::LinePlot plot{.title = quantity.title, .x_label = "step", .y_label = quantity.unit};
  for (size_t i = 0; i < runs.size(); ++i)
    if (const auto at = runs[i].curves.find(quantity.key); at != runs[i].curves.end())
      plot.series.push_back({.name = runs[i].name,
                             .points = thinned(at->second),
                             .number = static_cast<int64_t>(i),
                             .width = 1.4});
  return plot;
}

// One series for each layer.
draw::LinePlot norms_of(const std::vector<Run>& runs, const std::string& prefix,
                        const char* title) {
  draw::LinePlot plot{.title = title, .x_label = "step", .log_y = true};
  for (const Run& run : runs)
    for (const auto& [key, curve] : run.curves)
      if (key.starts_with(prefix)) {
        const std::string layer = key.substr(prefix.size());
        plot.series.push_back({.name = runs.size() > 1 ? run.name + ": " + layer : layer,
                               .points = thinned(curve),
                               .width = 1.4});
      }
  return plot;
}

std::vector<draw::LinePlot> plots_of(const std::vector<Run>& runs, const std::string& what) {
  if (what == "norms")
    return {norms_of(runs, "gradient_norm/", "Norm of each layer's gradient"),
            norms_of(runs, "weight_norm/", "Norm of each layer's weights")};
  if (what == "loss") return {loss_of(runs)};
  for (const Quantity& quantity : quantities)
    if (what == quantity.key) return {plot_of(runs, quantity)};
  throw UsageError(fmt::format("plot: there is no {}{}; there are {}", quoted_if_empty(what),
                               did_you_mean(what, plottable()), fmt::join(plottable(), ", ")));
}

}  // namespace

std::vector<std::string> plottable() {
  std::vector<std::string> names;
  for (const Quantity& quantity : quantities) names.emplace_back(quantity.key);
  names.emplace_back("norms");
  return names;
}

std::string plot_runs(const std::vector<std::string>& folders, const std::vector<std::string>& what,
                      bool leaves_out_empty) {
  std::vector<Run> runs;
  for (const std::string& folder : folders)
    runs.push_back({visible(folder), read_log(folder + "/log.jsonl")});
  std::vector<draw::LinePlot> all;
  for (const std::string& name : what)
    for (draw::LinePlot& plot : plots_of(runs, name)) {
      if (leaves_out_empty && plot.series.empty()) continue;
      SLOPE_CHECK_AS(UsageError, !plot.series.empty(), "plot: no run has logged {}{}", name,
                     name == "norms" ? "; train with --log-norms" : "");
      all.push_back(std::move(plot));
    }
  SLOPE_CHECK_AS(UsageError, !all.empty(), "plot: no run has logged any of {}",
                 fmt::join(what, ", "));
  return draw::to_svg(all);
}

}  // namespace slope::train
