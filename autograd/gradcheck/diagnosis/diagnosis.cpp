#include <slope/autograd/gradcheck/diagnosis/diagnosis.h>
#include <slope/autograd/gradcheck/linearity.h>
#include <slope/autograd/gradcheck/watch/backward.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

constexpr size_t most_guesses = 3;

// Two inputs whose rules give each other's derivative.
void guess_swapped(const std::vector<Evidence>& inputs, Guesses& guesses) {
  const auto gives = [](const Evidence& x, const Evidence& y) {
    return std::equal(x.analytic.begin(), x.analytic.end(), y.numeric.begin(), y.numeric.end(),
                      is_near);
  };
  // of a product: the rule multiplies g by the operand itself, not by the other one
  const auto takes_itself = [](const Evidence& e) {
    for (size_t i = 0; i < e.numeric.size(); ++i)
      if (e.g.size() != e.numeric.size() || !is_near(e.analytic[i], e.g[i] * e.x[i]) ||
          !is_near(e.numeric[i] * e.x[i], e.g[i] * e.y[i]))
        return false;
    return true;
  };
  // of a product with sums, such as matmul: the rule's Jacobian has the operand's own values
  const auto multiplies_itself = [](const Evidence& e) {
    const auto is_own = [&](double v) {
      return std::abs(v) < 1e-9 ||
             std::any_of(e.x.begin(), e.x.end(), [&](double x) { return is_near(x, v); });
    };
    return !e.by_rule.empty() && std::all_of(e.by_rule.begin(), e.by_rule.end(), is_own) &&
           !std::all_of(e.by_differences.begin(), e.by_differences.end(), is_own);
  };
  for (const Evidence& a : inputs)
    for (const Evidence& b : inputs) {
      if (a.index >= b.index || a.failed == 0 || b.failed == 0) continue;
      const auto add = [&](double weight, const char* reason) {
        guesses.push_back(
            {weight, fmt::format("swapped operands: inputs {} and {}", a.index, b.index), reason});
      };
      if (gives(a, b) && gives(b, a))
        add(1, "each is given the other's derivative");
      else if (takes_itself(a) || takes_itself(b) || (multiplies_itself(a) && multiplies_itself(b)))
        add(0.95, "g is multiplied by the operand itself, where the other one is meant");
    }
}

void look_at(const Evidence& e, Guesses& guesses) {
  for (const auto guess :
       {guess_not_finite, guess_factor, guess_power, guess_lost_term, guess_order, guess_part,
        guess_term, guess_sums, guess_jacobian, guess_without_pattern})
    guess(e, guesses);
}

// The failures of the leaves, used if no call was found wrong when it was checked alone.
std::vector<Evidence> of_leaves(const GradcheckReport& report) {
  std::vector<Evidence> result;
  for (const GradcheckFailure& f : report.failures) {
    if (result.empty() || result.back().index != f.input_index)
      result.push_back({.index = f.input_index});
    Evidence& e = result.back();
    ++e.checked;
    ++e.failed;
    e.elements.push_back(f.element);
    e.analytic.push_back(f.analytic);
    e.numeric.push_back(f.numeric);
  }
  return result;
}

}  // namespace

Guesses diagnose(const GradcheckReport& report) {
  Guesses all;
  const bool has_culprit = !report.culprits.empty();
  if (has_culprit && report.culprits[0].is_cut)
    return {
        {1, "a value that was detached on the way", "an input that changes carries no gradient"}};
  for (const std::string& problem : report.problems) {
    if (problem.find(not_linear_text) != std::string::npos)
      all.push_back({1, "g is missing in a rule, or stands in another power or operand",
                     "backward is not linear in the gradient that it is given"});
    if (problem.find(writes_text) != std::string::npos)
      all.push_back(
          {1, fmt::format("a rule that {}", writes_text), "it changed while the rule ran"});
  }
  std::vector<Evidence> inputs = has_culprit ? report.culprits[0].inputs : std::vector<Evidence>();
  if (std::none_of(inputs.begin(), inputs.end(), [](const Evidence& e) { return e.failed > 0; }))
    inputs = of_leaves(report);
  if (std::any_of(inputs.begin(), inputs.end(), [](const Evidence& e) { return e.only_strided; }))
    all.push_back({1, "a wrong stride or offset",
                   "the same call with contiguous copies of its inputs gives what it should"});
  guess_swapped(inputs, all);
  for (const Evidence& e : inputs) {
    if (e.failed == 0) continue;
    if (e.returns_nothing)
      all.push_back(
          {1, fmt::format("a rule returns no gradient for its input {}", e.index),
           "an empty tensor stands there, or, in a checkpoint, its function detaches it"});
    else
      look_at(e, all);
  }
  return best_of(std::move(all));
}

Guesses best_of(Guesses guesses) {
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const Guess& a, const Guess& b) { return a.weight > b.weight; });
  Guesses best;
  for (const Guess& guess : guesses)
    if (best.size() < most_guesses && std::none_of(best.begin(), best.end(), [&](const Guess& g) {
          return g.mistake == guess.mistake;
        }))
      best.push_back(guess);
  return best;
}

std::string text_of(const Guesses& guesses) {
  std::string text;
  for (const Guess& guess : guesses)
    text +=
        fmt::format("{}{}: {}", text.empty() ? "likely " : "; or ", guess.mistake, guess.reason);
  return text;
}

}  // namespace slope
