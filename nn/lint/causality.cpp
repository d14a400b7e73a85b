// Leaks and ignored inputs in the tables of Dependence (lint.h). t: an output's position, s: an
// input's; "> 0" means above the tolerance.
// leak:    change(t, s) > 0 or gradient(t, s) > 0 with s > t
// ignored: change(., s) = 0: an unused input;   change(t, .) = 0: an output that uses no input
#include <slope/nn/lint/lint.h>

#include <algorithm>

namespace slope::nn::lint {

namespace {

double at(const Tensor& table, int64_t t, int64_t s) {
  return table.defined() ? table.data<double>()[t * table.size(1) + s] : 0;
}
double largest_entry(const Tensor& table) {
  double most = 0;
  for (int64_t t = 0; table.defined() && t < table.size(0); ++t)
    for (int64_t s = 0; s < table.size(1); ++s) most = std::max(most, at(table, t, s));
  return most;
}

}  // namespace

Findings leaks(const Dependence& d) {
  const int64_t rows = d.change.size(0), columns = d.change.size(1);
  const double least = d.rounding, least_gradient = least * largest_entry(d.gradient);
  int64_t pairs = 0, worst_t = 0, worst_s = 0;
  double worst = -1;
  for (int64_t t = 0; t < rows; ++t)
    for (int64_t s = t + 1; s < columns; ++s) {
      const double change = at(d.change, t, s), gradient = at(d.gradient, t, s);
      if (change <= least && gradient <= least_gradient) continue;
      ++pairs;
      if (change > worst) worst = change, worst_t = t, worst_s = s;
    }
  if (pairs == 0) return {};
  const std::string derivative =
      d.gradient.defined()
          ? fmt::format(", and the derivative is {:.2g}", at(d.gradient, worst_t, worst_s))
          : "";
  return {{"causality",
           fmt::format("output {} depends on input {}, which comes later: another input there "
                       "changes the output by {:.2g} of the largest output value{}; {} of {} pairs "
                       "of an output and a later input leak",
                       worst_t, worst_s, worst, derivative, pairs, rows * (rows - 1) / 2),
           ""}};
}

Findings ignored_inputs(const Dependence& d) {
  const int64_t rows = d.change.size(0), columns = d.change.size(1);
  const double least = d.rounding;
  std::vector<int64_t> inputs, outputs;
  for (int64_t s = 0; s < columns; ++s) {
    bool used = false;
    for (int64_t t = 0; t < rows; ++t) used |= at(d.change, t, s) > least;
    if (!used) inputs.push_back(s);
  }
  for (int64_t t = 0; t < rows; ++t) {
    bool caused = false;
    for (int64_t s = 0; s < columns; ++s) caused |= at(d.change, t, s) > least;
    if (!caused) outputs.push_back(t);
  }
  Findings found;
  const auto list = [](const std::vector<int64_t>& places) {
    return to_string(Dims(places.begin(), places.end()));
  };
  if (!inputs.empty())
    found.push_back({"ignored-input",
                     fmt::format("no output depends on the inputs at positions {}", list(inputs)),
                     ""});
  if (!outputs.empty())
    found.push_back({"ignored-input",
                     fmt::format("the outputs at positions {} depend on no input", list(outputs)),
                     ""});
  return found;
}

}  // namespace slope::nn::lint
