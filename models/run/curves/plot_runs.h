// The curves of several runs in one picture, for comparison.
#pragma once

#include <string>
#include <vector>

namespace slope::train {

// What can be drawn: loss, lr, gradient_norm, tokens_per_second, norms (of each layer's gradient
// and weights, from runs with --log-norms).
std::vector<std::string> plottable();

// A plot for each of `what`, one below the other, as SVG. UsageError for what cannot be drawn, or
// what no run has logged (with `leaves_out_empty`: if nothing remains). IoError, InputError as in
// read_log().
std::string plot_runs(const std::vector<std::string>& runs, const std::vector<std::string>& what,
                      bool leaves_out_empty = false);

}  // namespace slope::train
