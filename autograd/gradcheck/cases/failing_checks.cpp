// The set of failing checks tells where a mistake is: in the kernel or the formula, in the strides,
// only in the second derivative, only in float32, or in one option.
#include <slope/autograd/gradcheck/cases/function_check.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace slope {

using Check = CaseOutcome::Check;

namespace {

std::set<InputLayout> layouts(const FunctionCheck& check, bool failing) {
  std::set<InputLayout> result;
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!failing || !o.outcome.report.ok) result.insert(o.outcome.layout);
  return result;
}

void guess_rule(const FunctionCheck& check, Guesses& guesses) {
  const bool kernel = check.fails(Check::first_order),
             formula = check.fails(Check::first_by_formula),
             second = check.fails(Check::second_order), same = !check.fails(Check::kernel_formula),
             coarse = check.fails(Check::f32_f64);
  const auto add = [&](const char* mistake, const char* reason) {
    guesses.push_back({1, mistake, reason});
  };
  if (!kernel && !formula && check.fails(Check::layouts_of_g))
    add("a wrong stride: of the gradient that the rule is given",
        "a contiguous g gives what it should, one in strides or expanded does not");
  else if (!kernel && !formula && check.fails(Check::digits))
    add("float32 inside: values or gradients are rounded to it on the way",
        "a change by 2^-28, which float32 does not hold, is lost or grossly wrong");
  else if (kernel && !formula)
    add("the kernel, not the formula", "through the formula first order agrees");
  else if (formula && !kernel)
    add("the formula or reference, not the kernel", "through the kernel first order agrees");
  else if (!kernel && second)
    add("a value in the formula that is detached, or a rule that the formula uses",
        "first order agrees, second does not");
  else if (!kernel && !same)
    add("the kernel differs from the formula by little, or where differences see nothing",
        "both agree with differences, but not with one another");
  else if (!kernel && coarse)
    add("the float32 kernel alone", "in float64 everything agrees");
}

void guess_layout(const FunctionCheck& check, Guesses& guesses) {
  const std::set<InputLayout> failing = layouts(check, true);
  if (failing.empty() || failing == layouts(check, false)) return;
  std::vector<std::string> names;
  for (const InputLayout layout : failing) names.emplace_back(name(layout));
  if (!failing.contains(InputLayout::contiguous))
    // what fails by the values alone, which other layouts draw anew, seldom fails in all of them
    guesses.push_back({failing.contains(InputLayout::transposed) ? 1 : 0.5,
                       "a wrong stride or offset",
                       fmt::format("contiguous inputs agree, {} do not", fmt::join(names, ", "))});
  else
    guesses.push_back({0.5, "a path for some layouts alone",
                       fmt::format("only {} inputs fail", fmt::join(names, ", "))});
}

void guess_option(const FunctionCheck& check, Guesses& guesses) {
  std::set<std::string> failing, agreeing;
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!o.outcome.report.ok) failing.insert(o.label);
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!failing.contains(o.label)) agreeing.insert(o.label);
  if (failing.size() > 3 || agreeing.size() <= failing.size()) return;
  guesses.push_back({0.7, fmt::format("what is special in case {}", fmt::join(failing, ", ")),
                     fmt::format("{} other cases agree", agreeing.size())});
}

// Only large cases fail, or only points at which the rule has a branch of its own.
void guess_kind(const FunctionCheck& check, Guesses& guesses) {
  const auto only = [&](Case::Kind kind, bool other_agrees = false) {
    bool fails = false;
    for (const FunctionCheck::Outcome& o : check.outcomes) {
      if (o.outcome.kind != kind && !o.outcome.report.ok) return false;
      other_agrees |= o.outcome.kind != kind;
      fails |= !o.outcome.report.ok;
    }
    return other_agrees && fails;
  };
  if (only(Case::Kind::large))
    guesses.push_back({1, "the edge of a chunk, tile or part",
                       "only inputs larger than these fail, smaller ones agree"});
  else if (only(Case::Kind::points, true))
    guesses.push_back({1, "a tie, guard or padding",
                       "only points at which the rule has a branch of its own fail"});
}

}  // namespace

Guesses guess_from_circumstances(const FunctionCheck& check) {
  Guesses guesses;
  guess_kind(check, guesses);
  guess_rule(check, guesses);
  guess_layout(check, guesses);
  guess_option(check, guesses);
  return guesses;
}

Guesses diagnose(const FunctionCheck& check) {
  Guesses all = guess_from_circumstances(check);
  const FunctionCheck::Outcome* first = check.first_failure();
  if (first)
    for (const Guess& guess : diagnose(first->outcome.report)) all.push_back(guess);
  return best_of(std::move(all));
}

}  // namespace slope
