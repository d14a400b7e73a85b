// slope gradcheck: the check cases of every differentiable function, and the parameters of whole
// models, in f64.
#include <slope/autograd/gradcheck/cases/function_check.h>
#include <slope/autograd/gradcheck/explain/explain.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/core/text/spelling.h>
#include <slope/models/infer/sample.h>
#include <slope/models/run/json.h>
#include <slope/nn/cases.h>
#include <slope/nn/module/unlisted.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/gradcheck/against.h>
#include <slope/tools/commands/gradcheck/json.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace slope::tools {

namespace {

struct Flags {
  std::vector<std::string> ops;
  std::string model;
  int64_t sample = 0, seed = 0;
  bool all = false, fast = false, stop_on_failure = false, explain = false, verbose = false,
       json = false;
  std::string against;
};

constexpr size_t most_lines = 60;

// All functions that have cases: the operations in the registry's order, then composites.
std::vector<std::string> names() {
  std::vector<std::string> result;
  const auto add = [&](const char* name) {
    if (std::find(result.begin(), result.end(), name) == result.end()) result.emplace_back(name);
  };
  for (const Op* op : registry()) add(op->name);
  for (const Case& c : all_cases()) add(c.name);
  for (const Case& c : nn::function_cases()) add(c.name);
  for (const Case& c : registered_cases()) add(c.name);
  return result;
}

// The cases of cases_of(), a program's own included, and those of nn.
std::vector<Case> cases_with_nn(const std::string& name) {
  std::vector<Case> result = cases_of(name);
  std::copy_if(nn::function_cases().begin(), nn::function_cases().end(), std::back_inserter(result),
               [&](const Case& c) { return c.name == name; });
  return result;
}

// The first lines, how many were left out, and the summary: together at most 60 lines.
std::string shortened(const std::string& text, bool verbose, const std::string& summary = "") {
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  const size_t room = most_lines - (summary.empty() ? 0 : 1);
  if (verbose || lines <= room) return text + summary;
  size_t end = 0;
  for (size_t i = 0; i + 1 < room; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) +
         fmt::format("… and {} more lines; --verbose prints them\n", lines - room + 1) + summary;
}

// The functions that were named, or with --all every one, in the order of names().
std::vector<std::string> chosen(const Flags& flags) {
  std::vector<std::string> known = names();
  for (const std::string& name : flags.ops)
    SLOPE_CHECK_AS(UsageError, std::find(known.begin(), known.end(), name) != known.end(),
                   "gradcheck: no function with check cases is called {}{}; slope gradcheck --help "
                   "lists them",
                   name, did_you_mean(name, known));
  std::erase_if(known, [&](const std::string& name) {
    return !flags.all && std::find(flags.ops.begin(), flags.ops.end(), name) == flags.ops.end();
  });
  return known;
}

// Puts numbers into each derivative's written formula and compares the result with the rule and
// with differences. With --all, functions that explain() refuses are left out: composites, and
// operations without a small case that calls nothing else.
int explain_functions(const Flags& flags) {
  bool ok = true;
  for (const std::string& name : chosen(flags)) {
    try {
      const Explanation found = explain(name);
      print(found.text() + "\n");
      ok &= found.is_held();
    } catch (const UsageError&) {
      if (!flags.all) throw;
    }
  }
  return ok ? 0 : 1;
}

int compare_functions(const Flags& flags) {
  const Against result = against_pytorch(chosen(flags));
  print(result.text);
  return result.ok ? 0 : 1;
}

int check_functions(const Flags& flags) {
  std::vector<FunctionCheck> checks;
  for (const std::string& name : chosen(flags)) {
    checks.push_back(check_function(name, cases_with_nn(name), static_cast<uint64_t>(flags.seed),
                                    flags.stop_on_failure));
    if (flags.stop_on_failure && !checks.back().ok()) break;
  }
  const bool ok =
      std::all_of(checks.begin(), checks.end(), [](const FunctionCheck& c) { return c.ok(); });
  if (flags.json) {
    print(train::json_text(to_json(checks), 1) + "\n");
    return ok ? 0 : 1;
  }
  // failures at first order come first: they may cause the others
  std::stable_sort(checks.begin(), checks.end(),
                   [](const FunctionCheck& a, const FunctionCheck& b) {
                     const auto rank = [](const FunctionCheck& c) {
                       return c.ok() ? 2 : !c.fails_at_first_order();
                     };
                     return rank(a) < rank(b);
                   });
  std::string text;
  for (const FunctionCheck& check : checks)
    if (!flags.all || flags.verbose || !check.ok()) text += text_of(check, flags.verbose) + "\n";
  print(shortened(text, flags.verbose, flags.all ? summary_of(checks) + "\n" : ""));
  return ok ? 0 : 1;
}

int check_model(const Flags& flags) {
  // small instances, so that every element of every parameter can be checked
  const bool every_element = !flags.fast && flags.sample == 0;
  const train::Sample sample = train::sample_named(
      flags.model, every_element ? train::SampleSize::small : train::SampleSize::full);
  nn::to(sample.model->module(), f64);
  const std::vector<std::string> unlisted =
      nn::unlisted_parameters(sample.parameters(), sample.loss());
  SLOPE_CHECK_AS(UsageError, unlisted.empty(),
                 "gradcheck: {} parameters that {} depends on are not listed, so they would not be "
                 "checked: {}; name the members in SLOPE_MODULE, or detach() them",
                 unlisted.size(), flags.model, fmt::join(unlisted, "; "));
  const std::function<Tensors()> loss = [&] { return Tensors{sample.loss()}; };
  const auto seed = static_cast<uint64_t>(flags.seed);
  const GradcheckReport report =
      flags.fast
          ? gradcheck_fast(loss, sample.parameters(), {.raise_exception = false, .seed = seed})
          : gradcheck(loss, sample.parameters(),
                      {.raise_exception = false,
                       .seed = seed,
                       .sample = flags.sample,
                       .most_failures = flags.json ? int64_t{1} << 40 : 20});
  if (flags.json)
    print(train::json_text({{"model", flags.model}, {"report", to_json(report)}}, 1) + "\n");
  else
    print(shortened(fmt::format("{}: {}\n", visible(flags.model), report.text()), flags.verbose));
  return report.ok ? 0 : 1;
}

int run(const Flags& flags) {
  const int said = !flags.ops.empty() + !flags.model.empty() + flags.all;
  SLOPE_CHECK_AS(UsageError, said == 1,
                 "gradcheck: give one of: names of functions, --model MODEL, --all");
  SLOPE_CHECK_AS(UsageError, !flags.model.empty() || (!flags.fast && flags.sample == 0),
                 "gradcheck: --fast and --sample are for --model");
  SLOPE_CHECK_AS(
      UsageError,
      flags.model.empty() || (!flags.explain && flags.against.empty() && !flags.stop_on_failure),
      "gradcheck: --explain, --against and --stop-on-failure are for functions");
  SLOPE_CHECK_AS(UsageError, flags.against.empty() || flags.against == "pytorch",
                 "gradcheck: --against knows pytorch, not {}", flags.against);
  if (!flags.model.empty()) return check_model(flags);
  if (flags.explain) return explain_functions(flags);
  return flags.against.empty() ? check_functions(flags) : compare_functions(flags);
}

}  // namespace

void add_gradcheck(Command& slope) {
  Command command = slope.subcommand("gradcheck",
                                     "Compare derivatives with finite differences, in f64: first "
                                     "and second order, every memory layout.\n"
                                     "Example: slope gradcheck softmax layer_norm");
  static Flags flags;
  command.option("function", flags.ops, "operations and other functions that have check cases")
      .takes_name("FUNCTION");
  command.footer([] { return fmt::format("Functions: {}", fmt::join(names(), " ")); });
  command
      .option("--model", flags.model,
              "check all parameters of a zoo model in a small size, or of a run's model")
      .takes_name("MODEL|RUN");
  command.flag("--fast", flags.fast,
               "check the model at its default size, each parameter along a few directions");
  command
      .option("--sample", flags.sample,
              "check the model at its default size, this many elements of each parameter")
      .between(1, 1 << 20);
  command.option("--seed", flags.seed, "seed of directions, samples and cotangents")
      .between(0, int64_t{1} << 62);
  command.flag("--all", flags.all, "every function");
  command.flag("--stop-on-failure", flags.stop_on_failure,
               "stop at the first check that fails: no further cases or functions");
  command.flag(
      "--explain", flags.explain,
      "put numbers into each derivative's written formula, and print the result beside those of "
      "the rule and of differences");
  command.option("--against", flags.against, "compare values and gradients with PyTorch's instead")
      .takes_name("pytorch");
  command.flag("--verbose", flags.verbose,
               "print everything, beyond 60 lines too: all failures, with --all also what passes");
  command.flag("--json", flags.json, "the whole report as JSON");
  command.excludes("--fast", {"--sample"});
  command.excludes("--explain", {"--json", "--against", "--stop-on-failure"});
  command.excludes("--against", {"--json", "--stop-on-failure"});
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
