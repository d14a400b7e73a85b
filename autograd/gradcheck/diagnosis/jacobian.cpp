// The Jacobian of the call, by the rule and by differences: through which outputs the rule lets an
// element act, and through which it does. One number for each element cannot tell a lost sum from a
// wrong factor; these can.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

struct Jacobian {
  const std::vector<double>&rule, &truth;
  size_t columns, rows;
  double least = 0;  // what is smaller is 0

  explicit Jacobian(const Evidence& e)
      : rule(e.by_rule), truth(e.by_differences), columns(e.elements.size()),
        rows(columns ? rule.size() / columns : 0) {
    for (const double v : truth) least = std::max(least, 1e-6 * std::abs(v));
  }
  bool has(const std::vector<double>& j, size_t o, size_t i) const {
    return std::abs(j[o * columns + i]) > least;
  }
  double ratio(size_t o, size_t i) const { return rule[o * columns + i] / truth[o * columns + i]; }
};

// What an element does through an output that the rule leaves out, beside what it keeps.
struct Reach {
  size_t kept = 0, ignored = 0, invented = 0;
  bool is_diagonal = true;  // the rule: element i acts through output i alone
};

Reach reach_of(const Jacobian& j) {
  Reach reach;
  for (size_t i = 0; i < j.columns; ++i) {
    Reach of_i;
    for (size_t o = 0; o < j.rows; ++o) {
      const bool by_rule = j.has(j.rule, o, i), truly = j.has(j.truth, o, i);
      of_i.kept += by_rule && truly;
      of_i.ignored += !by_rule && truly;
      of_i.invented += by_rule && !truly;
      reach.is_diagonal &= !by_rule || o == i;
    }
    reach.kept += of_i.kept;
    reach.ignored +=
        of_i.kept + of_i.invented > 0 ? of_i.ignored : 0;  // else it is lost as a whole
    reach.invented += of_i.invented;
  }
  return reach;
}

// Whether the rule applies the Jacobian where its transpose is meant.
bool is_transposed(const Jacobian& j) {
  if (j.rows != j.columns) return false;
  for (size_t o = 0; o < j.rows; ++o)
    for (size_t i = 0; i < j.columns; ++i)
      if (!is_near(j.rule[o * j.columns + i], j.truth[i * j.columns + o])) return false;
  return true;
}

// Whether the rule has the right pattern, with another factor for each output.
bool is_scaled_by_output(const Jacobian& j) {
  bool several = false, varies = false;
  double before = NAN;
  for (size_t o = 0; o < j.rows; ++o) {
    double factor = NAN;
    for (size_t i = 0; i < j.columns; ++i) {
      if (!j.has(j.truth, o, i)) continue;
      if (!std::isnan(factor) && !is_near(j.ratio(o, i), factor)) return false;
      several |= !std::isnan(factor);
      factor = j.ratio(o, i);
    }
    varies |= !std::isnan(factor) && !std::isnan(before) && !is_near(factor, before);
    if (!std::isnan(factor)) before = factor;
  }
  return several && varies;
}

}  // namespace

void guess_jacobian(const Evidence& e, Guesses& guesses) {
  const Jacobian j(e);
  if (j.rows < 2 ||
      std::any_of(j.rule.begin(), j.rule.end(), [](double v) { return !std::isfinite(v); }))
    return;
  if (is_transposed(j)) {
    const char* reason = "the Jacobian stands where its transpose is meant";
    // the other operands' sizes and the output's
    const bool is_product = e.other_sizes.size() >= e.output_shape.size() + 2;
    if (is_square(e) || is_product) guesses.push_back({0.94, "a missing transposition", reason});
    guesses.push_back({0.93, "a map in reverse: the rule moves g as the function moves x", reason});
  }
  const Reach reach = reach_of(j);
  const std::string through =
      fmt::format("the rule knows {} of {} ways from an element to an output", reach.kept,
                  reach.kept + reach.ignored);
  if (reach.ignored > 0 && reach.invented == 0) {
    if (repeats(e) > 1)
      guesses.push_back({0.97, "a missing sum over a broadcast dim", through});
    else if (e.shape != e.output_shape)
      guesses.push_back(
          {0.82, "lost accumulation: some uses of an element are not added", through});
    else if (reach.is_diagonal)
      guesses.push_back({0.78, "a term or one use is lost, which couples elements", through});
  }
  if (reach.ignored == 0 && reach.invented == 0 && is_scaled_by_output(j))
    guesses.push_back({0.86, "an index contracted in one operand only, or a sum that is missing",
                       "each output has another factor"});
}

}  // namespace slope
