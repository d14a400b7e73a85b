// slope gradcheck: the check cases of every differentiable function, and the parameters of whole
// models, in f64.
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/core/text/spelling.h>
#include <slope/models/infer/sample.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/nn/cases.h>
#include <slope/tools/command.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::vector<std::string> ops;
  std::string model;
  bool all = false, json = false;
};

// Of all functions that have cases: the operations in the registry's order, then composites.
std::vector<std::string> names() {
  std::vector<std::string> result;
  const auto add = [&](const char* name) {
    if (std::find(result.begin(), result.end(), name) == result.end()) result.emplace_back(name);
  };
  for (const Op* op : registry()) add(op->name);
  for (const Case& c : all_cases()) add(c.name);
  for (const Case& c : nn::function_cases()) add(c.name);
  return result;
}

std::vector<Case> cases_of(const std::string& name) {
  std::vector<Case> result;
  for (const std::vector<Case>& cases : {all_cases(), nn::function_cases()})
    std::copy_if(cases.begin(), cases.end(), std::back_inserter(result),
                 [&](const Case& c) { return c.name == name; });
  return result;
}

nlohmann::ordered_json to_json(const GradcheckReport& report) {
  const auto number = [](double v) {
    return std::isfinite(v) ? nlohmann::ordered_json(v)
                            : nlohmann::ordered_json(fmt::format("{}", v));
  };
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const GradcheckFailure& f : report.failures)
    failures.push_back({{"op", f.op},
                        {"input", f.input},
                        {"input_index", f.input_index},
                        {"output", f.output_index},
                        {"element", f.element},
                        {"analytic", number(f.analytic)},
                        {"numeric", number(f.numeric)},
                        {"ratio", number(f.ratio())}});
  return {{"ok", report.ok},         {"checked", report.checked},
          {"failed", report.failed}, {"unchecked", report.unchecked},
          {"failures", failures},    {"problems", report.problems},
          {"notes", report.notes}};
}

// Small instances, so that every element of every parameter can be nudged.
GradcheckReport check_model(const std::string& name) {
  const train::Sample sample = train::sample_of(models::model_named(name));
  const std::function<Tensors()> loss = [&] { return Tensors{sample.loss()}; };
  return gradcheck(loss, sample.parameters(), {.raise_exception = false});
}

int check_functions(const Flags& flags) {
  const std::vector<std::string> known = names();
  for (const std::string& name : flags.ops)
    SLOPE_CHECK_AS(UsageError, std::find(known.begin(), known.end(), name) != known.end(),
                   "gradcheck: no function with check cases is called {}{}; slope gradcheck --help "
                   "lists them",
                   name, did_you_mean(name, known));
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  bool ok = true;
  for (const std::string& name : known) {
    if (!flags.all && std::find(flags.ops.begin(), flags.ops.end(), name) == flags.ops.end())
      continue;
    const std::vector<Case> cases = cases_of(name);
    int64_t checks = 0, failed = 0;
    for (const Case& c : cases)
      for (const CaseOutcome& outcome : run_case(c)) {
        checks += outcome.report.checked;
        failed += !outcome.report.ok;
        if (flags.json)
          json.push_back({{"op", name},
                          {"case", c.label},
                          {"check", outcome.what},
                          {"report", to_json(outcome.report)}});
        else if (!outcome.report.ok)
          std::printf("%s (%s), %s: %s\n", name.c_str(), c.label.c_str(), outcome.what.c_str(),
                      outcome.report.text().c_str());
      }
    ok &= failed == 0 && !cases.empty();
    if (!flags.json)
      std::printf("%-32s %s  %zu cases, %ld derivatives\n", name.c_str(), failed ? "FAILED" : "ok",
                  cases.size(), static_cast<long>(checks));
  }
  if (flags.json) std::printf("%s\n", train::json_text(json, 1).c_str());
  return ok ? 0 : 1;
}

int run(const Flags& flags) {
  const int said = !flags.ops.empty() + !flags.model.empty() + flags.all;
  SLOPE_CHECK_AS(UsageError, said == 1, "gradcheck: name functions, or --model MODEL, or --all");
  if (flags.model.empty()) return check_functions(flags);
  const GradcheckReport report = check_model(flags.model);
  if (flags.json)
    std::printf("%s\n",
                train::json_text({{"model", flags.model}, {"report", to_json(report)}}, 1).c_str());
  else
    std::printf("%s: %s\n", flags.model.c_str(), report.text().c_str());
  return report.ok ? 0 : 1;
}

}  // namespace

void add_gradcheck(Command& slope) {
  Command command = slope.subcommand("gradcheck",
                                     "Compare derivatives with finite differences, in f64: first "
                                     "and second order, every memory layout.\n"
                                     "Example: slope gradcheck softmax layer_norm");
  static Flags flags;
  command.option("function", flags.ops, "operations and other functions that have check cases")
      .takes("FUNCTION");
  command.footer([] { return fmt::format("Functions: {}", fmt::join(names(), " ")); });
  command.option("--model", flags.model, "all parameters of a small model of the zoo")
      .takes("MODEL");
  command.flag("--all", flags.all, "every function");
  command.flag("--json", flags.json, "the whole report as JSON");
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
