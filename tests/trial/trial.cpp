// The trial of the diagnosis: of the mistakes listed in operations.h, modules.h and their blind_,
// fresh_ and newest_ fellows, for how many does the report name the right class first, or among the
// first three, and the operation and the parameters that are wrong? Prints the score and every
// miss; fails below 85 %, 95 %, 100 %, 100 %. TRIAL=TEXT in the environment prints the whole report
// of the mistakes that begin with TEXT.
#include <slope/autograd/gradcheck/cases/function_check.h>

#include <algorithm>

#include "planted_modules.h"
#include "planted_rules.h"
#include "score.h"

using namespace slope;

namespace {

bool try_operations(const char* what, const std::vector<Mistake>& mistakes) {
  Score score;
  bool are_others_right = true;
  for (const Mistake& mistake : mistakes) {
    const Case planted{
        "planted",
        "the only one",
        mistake.inputs,
        [&](const Tensors& in) {
          return Tensors{test::with_rule(
              mistake.op, [&] { return mistake.forward(in); }, in, mistake.attributes)};
        },
        mistake.values.empty() ? Case::Kind::usual : Case::Kind::points,
        mistake.values,
        mistake.expected};
    const FunctionCheck check = check_function("planted", {planted});
    if (mistake.kind == std::string("none")) {
      if (!check.ok()) std::printf("%s\n", text_of(check, false).c_str());
      are_others_right &= check.ok();
      continue;
    }
    if (check.ok()) std::printf("not noticed: ");
    const FunctionCheck::Outcome* failed = check.first_failure();
    show_if_wanted(mistake.text, text_of(check, false));
    score.add(mistake.text, mistake.kind,
              failed ? seen_in(failed->outcome.report, diagnose(check)) : Guesses());
    score.operation += failed && text_of(check, false).starts_with("planted ");
    ++score.leaves;
  }
  return score.print(what) && are_others_right;
}

bool try_modules(const char* what, const std::vector<Module>& mistakes) {
  Score score;
  for (const Module& module : mistakes) {
    const Net net(*module.shapes);
    const GradcheckReport report =
        gradcheck([&] { return Tensors{module.f(net)}; }, net.leaves, test::quiet);
    std::string wrong;
    for (const GradcheckLeaf& leaf : report.leaves)
      if (leaf.failed > 0) wrong += (wrong.empty() ? "" : " ") + leaf.name;
    show_if_wanted(module.text, report.text());
    score.add(module.text, module.kind, seen_in(report, diagnose(report)));
    const bool by_problem = *module.wrong == 0 && !report.problems.empty();
    const bool named =
        by_problem || (!report.culprits.empty() &&
                       (report.culprits[0].is_cut || report.culprits[0].op == "custom"));
    if (wrong != module.wrong || !named)
      std::printf("%s: parameters %s, not %s; %s\n", module.text, wrong.c_str(), module.wrong,
                  report.text().c_str());
    score.leaves += wrong == module.wrong;
    score.operation += named;
  }
  return score.print(what);
}

}  // namespace

int main() {
  const bool passed[]{try_operations("operations", operations()),
                      try_modules("modules", modules()),
                      try_operations("operations, blind", blind_operations()),
                      try_modules("modules, blind", blind_modules()),
                      try_operations("operations, fresh", fresh_operations()),
                      try_modules("modules, fresh", fresh_modules()),
                      try_operations("operations, newest", newest_operations()),
                      try_modules("modules, newest", newest_modules())};
  return std::ranges::count(passed, false) == 0 ? 0 : 1;
}
