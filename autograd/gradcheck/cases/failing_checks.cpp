// Guesses what the mistake is by looking at which checks, layouts and cases of a function fail and
// which agree. diagnosis/ guesses from the numbers of a failure.
#include <slope/autograd/gradcheck/cases/function_check.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace slope {

using Check = CaseOutcome::Check;

namespace {

struct Meaning {
  Check check;
  const char *mistake, *reason;
};
// If first order fails through only one of kernel and formula, that one is to blame. If it agrees
// through both, the first of `others` that fails names the mistake.
constexpr Meaning kernel_alone{Check::first_order, "the kernel, not the formula",
                               "through the formula first order agrees"};
constexpr Meaning formula_alone{Check::first_by_formula, "the formula or reference, not the kernel",
                                "through the kernel first order agrees"};
constexpr Meaning kernel_of_large{Check::first_order, "the kernel, not the formula",
                                  "large inputs agree neither with differences nor with the "
                                  "formula"};
constexpr Meaning others[] = {
    {Check::layouts_of_g, "a wrong stride in reading the incoming gradient g",
     "a contiguous g gives the right result, a strided or expanded one does not"},
    {Check::digits, "float32 inside: values or gradients are rounded to it on the way",
     "a change by 2^-28, which float32 does not hold, is lost or grossly wrong"},
    {Check::second_order,
     "a value in the formula that is detached, or a rule that the formula uses",
     "first order agrees, second does not"},
    {Check::kernel_formula,
     "the kernel differs from the formula slightly, or where differences cannot see it",
     "both agree with differences, but not with one another"},
    {Check::f32_f64, "the float32 kernel alone", "in float64 everything agrees"},
};

void guess_from_checks(const FunctionCheck& check, Guesses& guesses) {
  // Kernel and formula are compared only where both were checked: stop_on_failure leaves checks
  // out, and large cases do not check the formula by differences.
  std::map<std::tuple<std::string, InputLayout, Case::Kind>, std::map<Check, bool>> all;
  for (const FunctionCheck::Outcome& o : check.outcomes) {
    auto& held = all[{o.label, o.outcome.layout, o.outcome.kind}];
    held.try_emplace(o.outcome.check, true).first->second &= o.outcome.report.ok;
  }
  bool kernel = false, formula = false, large = false;  // whether each fails
  for (const auto& [where, held] : all) {
    const auto fails = [&held = held](Check c) { return held.contains(c) && !held.at(c); };
    if (held.contains(Check::first_order) && held.contains(Check::first_by_formula)) {
      kernel |= fails(Check::first_order);
      formula |= fails(Check::first_by_formula);
    } else {
      large |= fails(Check::first_order) && fails(Check::kernel_formula);
    }
  }
  const auto add = [&](const Meaning& m) { guesses.push_back({1, m.mistake, m.reason}); };
  if (kernel != formula) {
    add(kernel ? kernel_alone : formula_alone);
  } else if (large && !kernel) {
    add(kernel_of_large);
  } else if (!check.fails_at_first_order()) {
    const auto fails = [&](const Meaning& m) { return check.fails(m.check); };
    if (const auto* first = std::ranges::find_if(others, fails); first != std::end(others))
      add(*first);
  }
}

void guess_from_layouts(const FunctionCheck& check, Guesses& guesses) {
  std::set<InputLayout> run, failing;
  for (const FunctionCheck::Outcome& o : check.outcomes) {
    if (o.outcome.kind != Case::Kind::usual) continue;  // runs in only a few layouts
    run.insert(o.outcome.layout);
    if (!o.outcome.report.ok) failing.insert(o.outcome.layout);
  }
  if (failing.empty() || failing == run) return;
  std::vector<std::string> names;
  for (const InputLayout layout : failing) names.emplace_back(name(layout));
  if (failing.contains(InputLayout::contiguous)) {
    guesses.push_back({0.5, "a code path that only some layouts take",
                       fmt::format("only {} inputs fail", fmt::join(names, ", "))});
  } else {
    // Sliced, offset and expanded inputs hold other numbers than contiguous ones, so a mistake that
    // only some numbers reveal may show only there. Transposed inputs hold the same numbers in
    // other places: if they fail too, the layout is to blame.
    guesses.push_back({failing.contains(InputLayout::transposed) ? 1 : 0.5,
                       "a wrong stride or offset",
                       fmt::format("contiguous inputs agree, {} do not", fmt::join(names, ", "))});
  }
}

// A few labelled cases fail and most agree: the mistake is in what the failing cases try.
void guess_from_labels(const FunctionCheck& check, Guesses& guesses) {
  std::set<std::string> failing, agreeing;
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!o.outcome.report.ok) failing.insert(o.label);
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!failing.contains(o.label)) agreeing.insert(o.label);
  if (failing.empty() || failing.size() > 3 || agreeing.size() <= failing.size()) return;
  guesses.push_back({0.7, fmt::format("what is special in case {}", fmt::join(failing, ", ")),
                     fmt::format("{} other cases agree", agreeing.size())});
}

// Whether cases of this kind fail, and no others.
bool only_fails(const FunctionCheck& check, Case::Kind kind) {
  const auto failed_of = [&](bool of_kind) {
    return std::any_of(check.outcomes.begin(), check.outcomes.end(), [&](const auto& o) {
      return (o.outcome.kind == kind) == of_kind && !o.outcome.report.ok;
    });
  };
  return failed_of(true) && !failed_of(false);
}

void guess_from_kinds(const FunctionCheck& check, Guesses& guesses) {
  const bool has_smaller =
      std::any_of(check.outcomes.begin(), check.outcomes.end(),
                  [](const auto& o) { return o.outcome.kind != Case::Kind::large; });
  if (has_smaller && only_fails(check, Case::Kind::large))
    guesses.push_back({1, "the edge of a chunk, tile or part",
                       "only inputs larger than these fail, smaller ones agree"});
  else if (only_fails(check, Case::Kind::points))
    guesses.push_back({1, "a tie, guard or padding",
                       "only points at which the rule has a branch of its own fail"});
}

}  // namespace

Guesses guess_from_failing_checks(const FunctionCheck& check) {
  Guesses guesses;
  guess_from_kinds(check, guesses);
  guess_from_checks(check, guesses);
  guess_from_layouts(check, guesses);
  guess_from_labels(check, guesses);
  return guesses;
}

Guesses diagnose(const FunctionCheck& check) {
  Guesses all = guess_from_failing_checks(check);
  const FunctionCheck::Outcome* first = check.first_failure();
  if (first)
    for (const Guess& guess : diagnose(first->outcome.report)) all.push_back(guess);
  return best_of(std::move(all));
}

}  // namespace slope
