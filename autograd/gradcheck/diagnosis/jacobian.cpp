// Compares through which outputs an element acts by the rule and in truth (by differences). A pair
// of an element and an output through which it acts is a "way". One number for each element cannot
// tell a lost sum from a wrong factor; its ways can.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

struct Jacobian {
  const std::vector<double>&rule, &truth;
  const std::vector<int64_t>& elements;  // of each column: some may not have been checked
  size_t columns, rows;
  double least = 0;  // a number of at most this size counts as 0

  explicit Jacobian(const Evidence& e)
      : rule(e.by_rule), truth(e.by_differences), elements(e.elements), columns(elements.size()),
        rows(columns ? rule.size() / columns : 0) {
    for (const double v : truth) least = std::max(least, 1e-6 * std::abs(v));
  }
  bool has(const std::vector<double>& j, size_t o, size_t i) const {
    return std::abs(j[o * columns + i]) > least;
  }
  double ratio(size_t o, size_t i) const { return rule[o * columns + i] / truth[o * columns + i]; }
};

// How many ways the rule keeps, ignores and invents.
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
      reach.is_diagonal &= !by_rule || static_cast<int64_t>(o) == j.elements[i];
    }
    reach.kept += of_i.kept;
    reach.ignored +=
        of_i.kept + of_i.invented > 0 ? of_i.ignored : 0;  // else the rule lacks all of element i
    reach.invented += of_i.invented;
  }
  return reach;
}

// The share of the kept ways whose value is right. A kept way is wrong if, for example, an element
// acts on an output twice and the rule adds only one of the two contributions.
double share_right(const Jacobian& j) {
  double kept = 0, right = 0;
  for (size_t o = 0; o < j.rows; ++o)
    for (size_t i = 0; i < j.columns; ++i) {
      if (!j.has(j.truth, o, i) || !j.has(j.rule, o, i)) continue;
      ++kept;
      right += is_near(j.ratio(o, i), 1);
    }
  return kept > 0 ? right / kept : 0;
}

// Whether the rule gives, for each way of an element, the sum over all of the element's ways: g and
// its factor are summed separately.
bool has_sums_for_ways(const Jacobian& j) {
  bool differs = false;
  for (size_t i = 0; i < j.columns; ++i) {
    double sum = 0;
    for (size_t o = 0; o < j.rows; ++o) sum += j.truth[o * j.columns + i];
    for (size_t o = 0; o < j.rows; ++o) {
      if (!j.has(j.truth, o, i)) continue;
      if (!is_near(j.rule[o * j.columns + i], sum)) return false;
      differs |= !is_near(j.truth[o * j.columns + i], sum);
    }
  }
  return differs;
}

// Whether the rule lacks, for each element, the same amount in all of the element's ways; at least
// one element for which it lacks something must have several ways.
bool lacks_the_same_in_all_ways(const Jacobian& j) {
  bool lacks = false;
  for (size_t i = 0; i < j.columns; ++i) {
    double of_first = NAN;
    size_t ways = 0;
    for (size_t o = 0; o < j.rows; ++o) {
      if (!j.has(j.truth, o, i)) continue;
      const double lack = j.truth[o * j.columns + i] - j.rule[o * j.columns + i];
      if (ways++ == 0) of_first = lack;
      // `lack` may be a small difference of two numbers, in which noise weighs more
      if (!(std::abs(lack - of_first) <= 1e-4 * std::abs(of_first) + 1e-8)) return false;
    }
    lacks |= ways > 1 && std::abs(of_first) > 1e-4;
  }
  return lacks;
}

// Whether each element has the right derivatives, but of other outputs.
bool has_other_outputs(const Jacobian& j) {
  const auto column = [&](const std::vector<double>& of, size_t i) {
    std::vector<double> found;
    for (size_t o = 0; o < j.rows; ++o) found.push_back(of[o * j.columns + i]);
    std::sort(found.begin(), found.end());
    return found;
  };
  for (size_t i = 0; i < j.columns; ++i) {
    const std::vector<double> rule = column(j.rule, i), truth = column(j.truth, i);
    const auto near = [&](double a, double b) {
      return std::abs(a - b) <= j.least || is_near(a, b);
    };
    if (!std::equal(rule.begin(), rule.end(), truth.begin(), near)) return false;
  }
  return true;
}

// Whether the rule applies the Jacobian where its transpose is meant.
bool is_transposed(const Jacobian& j) {
  if (j.rows != j.columns) return false;
  for (size_t o = 0; o < j.rows; ++o)
    for (size_t i = 0; i < j.columns; ++i)
      if (!is_near(j.rule[o * j.columns + i], j.truth[i * j.columns + o])) return false;
  return true;
}

// Whether the rule has the right pattern, but with a wrong factor that differs between outputs.
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

// Whether the rule has the right pattern, with one factor for each element.
bool is_scaled_by_element(const Jacobian& j) {
  for (size_t i = 0; i < j.columns; ++i) {
    double factor = NAN;
    for (size_t o = 0; o < j.rows; ++o) {
      if (!j.has(j.truth, o, i)) continue;
      if (std::isnan(factor)) factor = j.ratio(o, i);
      if (!is_near(j.ratio(o, i), factor)) return false;
    }
  }
  return true;
}

}  // namespace

void guess_jacobian(const Evidence& e, Guesses& guesses) {
  const Jacobian j(e);
  if (j.rows < 2 ||
      std::any_of(j.rule.begin(), j.rule.end(), [](double v) { return !std::isfinite(v); }))
    return;
  if (is_transposed(j)) {
    const char* reason = "the Jacobian stands where its transpose is meant";
    // other_sizes includes the output's sizes; two or more beyond these suggest a second matrix
    const bool is_product = e.other_sizes.size() >= e.output_shape.size() + 2;
    if (is_square(e) || is_product) guesses.push_back({0.94, "a missing transposition", reason});
    guesses.push_back({0.93, "a map in reverse: the rule moves g as the function moves x", reason});
  }
  if (has_sums_for_ways(j))
    guesses.push_back(
        {0.94,
         "an index contracted in one operand only: g and the other operand are summed separately",
         "the rule gives the same for all outputs that an element acts through: the sum"});
  if (lacks_the_same_in_all_ways(j) && !is_scaled_by_element(j))
    guesses.push_back(
        {0.9, "a term is lost, or one use is lost",
         "what the rule lacks is the same for all outputs that an element acts through"});
  const Reach reach = reach_of(j);
  const std::string through =
      fmt::format("the rule knows {} of {} ways from an element to an output", reach.kept,
                  reach.kept + reach.ignored);
  if (reach.ignored > 0 && reach.kept > 0 && repeats(e) > 1)
    guesses.push_back({0.97,
                       reach.invented > 0 ? "a sum over another dim than the broadcast one"
                                          : "a missing sum over a broadcast dim",
                       through});
  else if (reach.ignored > 0 && reach.invented == 0) {
    const double right = share_right(j);
    const bool is_right = right == 1;
    if (e.shape != e.output_shape || (right > 0.5 && !reach.is_diagonal))
      guesses.push_back({is_right ? 0.93 : 0.82,
                         "lost accumulation: some uses of an element are not added", through});
    else if (reach.is_diagonal)
      guesses.push_back(
          {is_right ? 0.93 : 0.78, "a term or one use is lost, which couples elements", through});
  } else if (reach.ignored > 0 && has_other_outputs(j)) {
    guesses.push_back({0.9, "another order of elements: a wrong index, permutation or reshape",
                       "each acts as it should, but through other outputs"});
  }
  if (reach.ignored == 0 && reach.invented == 0 && is_scaled_by_output(j)) {
    const char* reason = "each output has a different factor";
    guesses.push_back(
        {0.86, "an index contracted in one operand only, or a sum that is missing", reason});
    guesses.push_back({0.8, "another power or operand: of the output, such as 1/y", reason});
  }
}

}  // namespace slope
