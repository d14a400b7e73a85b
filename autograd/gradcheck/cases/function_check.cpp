#include <slope/autograd/gradcheck/cases/function_check.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace slope {

using Check = CaseOutcome::Check;

bool FunctionCheck::ok() const {
  return cases > 0 && std::all_of(outcomes.begin(), outcomes.end(),
                                  [](const Outcome& o) { return o.outcome.report.ok; });
}

bool FunctionCheck::fails(Check check) const {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) {
    return o.outcome.check == check && !o.outcome.report.ok;
  });
}

bool FunctionCheck::fails_at_first_order() const {
  return fails(Check::first_order) || fails(Check::first_by_formula);
}

int64_t FunctionCheck::derivatives() const {
  int64_t sum = 0;
  for (const Outcome& o : outcomes) sum += o.outcome.report.checked;
  return sum;
}

const FunctionCheck::Outcome* FunctionCheck::first_failure() const {
  const Outcome* first = nullptr;
  for (const Outcome& o : outcomes)
    if (!o.outcome.report.ok && (!first || o.outcome.check < first->outcome.check)) first = &o;
  return first;
}

FunctionCheck check_function(const std::string& name, const std::vector<Case>& cases, uint64_t seed,
                             bool stop_on_failure) {
  FunctionCheck result{.name = name, .cases = cases.size(), .outcomes = {}};
  // The report's program writes the function as cases_of(name)[i].f if that program will find it
  // there: it knows neither the cases of nn nor those that this program registered. Its inputs are
  // contiguous.
  std::vector<const Case*> known;
  for (const Case& c : all_cases())
    if (c.name == name) known.push_back(&c);
  for (size_t i = 0; i < cases.size(); ++i)
    for (CaseOutcome& outcome : run_case(cases[i], {.seed = seed})) {
      if (i < known.size() && cases[i].label == known[i]->label)
        outcome.report.function = fmt::format("cases_of(\"{}\")[{}].f", name, i);
      if (outcome.layout != InputLayout::contiguous) outcome.report.smallest.clear();
      result.outcomes.push_back({cases[i].label, std::move(outcome)});
      if (stop_on_failure && !result.outcomes.back().outcome.report.ok) return result;
    }
  return result;
}

namespace {

// The names (of checks, layouts or cases) that `name_of` gives to the outcomes: `failing` are those
// with a failed outcome.
struct Split {
  std::vector<std::string> failing, agreeing;
};
template <class Name>
Split split(const FunctionCheck& check, Name&& name_of) {
  std::map<std::string, bool> fails;
  std::vector<std::string> order;
  for (const FunctionCheck::Outcome& o : check.outcomes) {
    const std::string name = name_of(o);
    const auto [at, is_first] = fails.try_emplace(name, false);
    if (is_first) order.push_back(name);
    at->second |= !o.outcome.report.ok;
  }
  Split result;
  for (const std::string& name : order)
    (fails.at(name) ? result.failing : result.agreeing).push_back(name);
  return result;
}

// "all", "all but a, b", or the failing ones, whichever is shorter
std::string names(const Split& split) {
  if (split.agreeing.empty()) return "all";
  if (split.agreeing.size() < split.failing.size())
    return fmt::format("all but {}", fmt::join(split.agreeing, ", "));
  return fmt::format("{}", fmt::join(split.failing, ", "));
}

std::string indented(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? "\n  " : std::string(1, c);
  return result;
}

}  // namespace

std::string text_of(const FunctionCheck& check, bool verbose) {
  const FunctionCheck::Outcome* first = check.first_failure();
  std::string text = fmt::format("{:<32} {}  {} cases, {} derivatives", check.name,
                                 check.ok() ? "ok" : "FAILED", check.cases, check.derivatives());
  if (!first) return text;
  const Split checks = split(check, [](const auto&o) { return name(o.outcome.check); }),
              layouts = split(check, [](const auto&o) { return name(o.outcome.layout); }),
              labels = split(check, [](const auto&o) { return o.label; });
  text += fmt::format("\n  fails: {} · layouts: {} · cases: {}", fmt::join(checks.failing, ", "),
                      names(layouts), names(labels));
  if (const std::string guess = text_of(diagnose(check)); !guess.empty()) text += "\n  " + guess;
  for (const FunctionCheck::Outcome& o : check.outcomes)
    if (!o.outcome.report.ok && (verbose || &o == first))
      text += fmt::format("\n  {} ({}), {}: {}", check.name, o.label, o.outcome.what,
                          indented(o.outcome.report.text()));
  return text;
}

std::string summary_of(const std::vector<FunctionCheck>& checks) {
  std::vector<std::string> first, other, without;
  for (const FunctionCheck& check : checks) {
    if (check.cases == 0) without.push_back(check.name);
    if (check.ok() || check.cases == 0) continue;
    (check.fails_at_first_order() ? first : other).push_back(check.name);
  }
  int64_t derivatives = 0;
  for (const FunctionCheck& check : checks) derivatives += check.derivatives();
  if (first.empty() && other.empty() && without.empty())
    return fmt::format("ok: {} functions, {} derivatives", checks.size(), derivatives);
  std::string text;
  const auto add = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty())
      text += fmt::format("{}{} of {} functions {}: {}", text.empty() ? "" : "; ", names.size(),
                          checks.size(), what, fmt::join(names, ", "));
  };
  add(first, "fail at first order");
  add(other, first.empty() ? "fail other checks (second order, kernel against formula, f32)"
                           : "fail only other checks, perhaps because of these");
  add(without, "have no case");
  return text;
}

}  // namespace slope
