// Sums over dims: an index that is contracted too early, or a broadcast dim that is not summed. And
// what shapes suggest where the numbers have no pattern.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>

namespace slope {

int64_t repeats(const Evidence& e) {
  const Dims &x = e.shape, &y = e.output_shape;
  if (x.size() > y.size() || x == y) return 1;
  int64_t times = 1;
  for (size_t d = 0; d < y.size(); ++d) {
    const int64_t size = d + x.size() < y.size() ? 1 : x[d + x.size() - y.size()];
    if (size != y[d] && size != 1) return 1;
    if (size != y[d]) times *= y[d];
  }
  return times;
}

bool has_one_ratio(const Evidence& e) {
  for (size_t i = 0; i < e.numeric.size(); ++i)
    if (!is_near(e.analytic[i] * e.numeric[0], e.analytic[0] * e.numeric[i])) return false;
  return true;
}

bool is_square(const Evidence& e) {
  return e.shape.size() >= 2 && e.shape.back() == e.shape[e.shape.size() - 2] && e.shape.back() > 1;
}

namespace {

// Whether every analytic element is the sum, or the mean, of the numeric ones along the dim, and
// some sum has more than one term.
bool is_sum_along(const Evidence& e, size_t dim) {
  if (has_one_ratio(e)) return false;
  const Lines lines(e.shape, dim);
  bool has_terms = false;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = lines.begin(i);
    double sum = 0;
    for (size_t k = 0; k < lines.size; ++k) sum += e.numeric[first + k * lines.apart];
    if (!is_near(e.analytic[i], sum) &&
        !is_near(e.analytic[i], sum / static_cast<double>(lines.size)))
      return false;
    has_terms |= !is_near(sum, e.numeric[i]) && std::abs(e.numeric[i]) > 1e-9;
  }
  return has_terms;
}

// Whether numeric / g is, everywhere along the dim, the sum of analytic / g along it.
bool is_factor_summed_along(const Evidence& e, size_t dim) {
  if (e.g.size() != e.numeric.size() || has_one_ratio(e)) return false;
  const Lines lines(e.shape, dim);
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = lines.begin(i);
    double sum = 0;
    for (size_t k = 0; k < lines.size; ++k)
      sum += e.analytic[first + k * lines.apart] / e.g[first + k * lines.apart];
    if (!is_near(e.numeric[i] / e.g[i], sum)) return false;
  }
  return true;
}

// Whether the ratio is the same all along each line of the dim, but differs between lines.
bool is_ratio_constant_along(const Evidence& e, size_t dim) {
  if (e.shape[dim] < 2 || has_one_ratio(e)) return false;
  const Lines lines(e.shape, dim);
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = lines.begin(i);
    if (!is_near(e.analytic[i] * e.numeric[first], e.analytic[first] * e.numeric[i])) return false;
  }
  return true;
}

// If each element acts through one output alone: e with entries of the Jacobian (the factors of g)
// in place of the derivatives; else e.
Evidence factors_of_g(const Evidence& e) {
  Evidence result = e;
  const size_t columns = e.elements.size();
  for (size_t i = 0; i < columns; ++i) {
    size_t ways = 0;
    for (size_t at = i; at < e.by_differences.size(); at += columns)
      if (std::abs(e.by_differences[at]) > 1e-6) {
        ++ways;
        result.numeric[i] = e.by_differences[at];
        result.analytic[i] = e.by_rule[at];
      }
    if (ways != 1) return e;
  }
  return result;
}

}  // namespace

void guess_sums(const Evidence& e, Guesses& guesses) {
  const int64_t times = repeats(e);
  if (!is_whole(e) || (e.numeric.size() < 2 && times == 1)) return;
  for (size_t dim = 0; dim < e.shape.size(); ++dim) {
    const std::string along = fmt::format("the ratio is the same all along dim {}", dim);
    if (!is_ratio_constant_along(e, dim)) continue;
    if (e.shape == e.output_shape)
      guesses.push_back(
          {0.58, "another power or operand: one that is the same along a dim", along});
    guesses.push_back({e.shape == e.output_shape ? 0.56 : 0.65,
                       "an index contracted in one operand only, or a sum that is missing", along});
  }
  for (size_t dim = 0; dim < e.shape.size(); ++dim)
    if (e.shape[dim] > 1 && is_factor_summed_along(e, dim))
      guesses.push_back({0.93,
                         fmt::format("an index contracted in one operand only: the factor of g is "
                                     "not summed over dim {}",
                                     dim),
                         "each derivative is g times the sum of the rule's factors along it"});
  const Evidence factors = factors_of_g(e);
  for (size_t dim = 0; dim < e.shape.size(); ++dim)
    if (e.shape[dim] > 1 && (is_sum_along(e, dim) || is_sum_along(factors, dim)))
      guesses.push_back({0.95,
                         fmt::format("an index contracted in one operand only: dim {} is summed "
                                     "and repeated",
                                     dim),
                         "each is the sum of what the elements along it should be"});
  if (times == 1) return;
  if (has_one_ratio(e) && is_near(e.numeric[0], e.analytic[0] * static_cast<double>(times)))
    guesses.push_back(
        {0.95, "a mean in place of the sum over the broadcast dim",
         fmt::format("the input is repeated {} times, and every ratio is 1/{}", times, times)});
  else if (!has_one_ratio(e) && e.by_rule.empty())  // else the Jacobian tells
    guesses.push_back(
        {0.7, "a missing sum over a broadcast dim",
         fmt::format("the input is repeated {} times, and no two ratios are alike", times)});
}

void guess_without_pattern(const Evidence& e, Guesses& guesses) {
  const auto wrong = [&](size_t i) { return is_wrong(e, i); };
  size_t all = 0;
  for (size_t i = 0; i < e.numeric.size(); ++i) all += wrong(i) || !counts(e, i);
  // some are right, and not by chance; or one factor explains all
  if (10 * all < 9 * e.numeric.size() || has_one_ratio(e)) return;
  const bool all_alike =
      is_square(e) && std::all_of(e.other_sizes.begin(), e.other_sizes.end(),
                                  [&](int64_t size) { return size == e.shape.back(); });
  if (all_alike && e.shape == e.output_shape)
    guesses.push_back({0.6, "a missing transposition, or another order of factors",
                       "no two ratios are alike, and all sizes are equal, so that shapes hide it"});
  else if (numel(e.output_shape) > numel(e.shape) && repeats(e) == 1)
    guesses.push_back({0.6, "lost accumulation: only one use of each element counts",
                       fmt::format("{} elements become {}, and no two ratios are alike",
                                   numel(e.shape), numel(e.output_shape))});
  guesses.push_back({0.5, "another power or operand", "no two ratios are alike"});
  guesses.push_back({0.45, "a term or one use is lost", "no two ratios are alike"});
}

}  // namespace slope
