// slope bench: the cost of training, decoding and single operations on this machine, and the
// machine's limits.
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/text/spelling.h>
#include <slope/models/run/json.h>
#include <slope/models/run/precision.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/report.h>
#include <slope/tools/command.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace slope::tools {

namespace {

struct Flags {
  std::vector<std::string> cases;
  int64_t steps = 0;
  bool json = false, serve = false, once = false, profile = false;
  std::string trace, out, precision = "f32";
  std::string batches, write_batches, train;
  int64_t count = 200;
};

// Names that are no BenchCase: the machine's limits, and the group of all operations.*.
constexpr const char *machine = "machine", *operations = "operations";

std::vector<BenchCase> all_cases() {
  std::vector<BenchCase> cases = training_cases();
  for (auto more : {decoding_cases, op_cases})
    for (BenchCase& c : more()) cases.push_back(std::move(c));
  cases.push_back(start_case());
  return cases;
}

bool is_asked(const std::vector<std::string>& asked, const std::string& name) {
  return asked.empty() || std::any_of(asked.begin(), asked.end(), [&](const std::string& a) {
           return a == name || name.starts_with(a + ".");
         });
}

void check_names(const std::vector<std::string>& asked, const std::vector<BenchCase>& cases) {
  std::vector<std::string> known = {machine, operations};
  for (const BenchCase& c : cases) known.push_back(c.name);
  for (const std::string& name : asked)
    SLOPE_CHECK_AS(UsageError, std::find(known.begin(), known.end(), name) != known.end(),
                   "bench: no case is called {}{}; slope bench --help lists them", name,
                   did_you_mean(name, known));
}

void check_one_case(const char* flag, const std::vector<BenchCase>& cases, bool machine_too) {
  SLOPE_CHECK_AS(UsageError, cases.size() == 1 && !machine_too,
                 "bench {}: name exactly one case, got {}{}", flag, cases.size(),
                 machine_too ? " and machine, which is none" : "");
}

int run(const std::vector<BenchCase>& cases, bool machine_too, const Flags& flags) {
  const bool profiles = flags.profile || !flags.trace.empty();
  if (!flags.trace.empty()) {
    check_one_case("--trace", cases, machine_too);
    refuse_to_replace("--trace", flags.trace, {flags.batches});
  }
  SLOPE_CHECK_AS(UsageError, !flags.json || !profiles,
                 "bench --json: prints figures, not a profile; leave out --profile and --trace");
  nlohmann::ordered_json json = {{"threads", num_threads()},
                                 {"precision", flags.precision},
                                 {"cases", nlohmann::ordered_json::array()}};
  const auto show = [&](const std::string& text) {
    if (flags.json) return;
    print(text + "\n");
    flush();
  };
  if (machine_too) {
    const std::vector<MachineLimit> limits = measure_machine();
    json[machine] = to_json(limits);
    show(machine_table(limits));
  }
  if (profiles) {
    for (const BenchCase& c : cases) profile(c, flags.steps, flags.trace);
    return 0;
  }
  for (const BenchCase& c : cases) {
    const Measured measured = measure(c, flags.steps);
    if (&c == &cases.front()) show(table_head());  // after measure(), which may refuse its input
    json["cases"].push_back(to_json(measured));
    show(table_line(measured));
  }
  if (flags.json) print(train::json_text(json, 1) + "\n");
  return 0;
}

// The precision asked for. Prints a note to standard error if bf16 will not be faster, except in
// the processes that the case start-up starts.
DType precision_of(const Flags& flags) {
  const DType precision = train::precision_named(flags.precision);
  const std::string& note = bf16_choice().note;
  if (precision == bf16 && !note.empty() && !flags.once) std::fprintf(stderr, "%s\n", note.c_str());
  return precision;
}

void check_serves_alone(const Flags& flags) {
  SLOPE_CHECK_AS(UsageError, !flags.json && !flags.profile && flags.trace.empty(),
                 "bench --serve: takes no --json, --profile or --trace");
}

int run_named(const Flags& flags) {
  const Autocast products(precision_of(flags));
  std::vector<BenchCase> cases = all_cases();
  check_names(flags.cases, cases);
  std::erase_if(cases, [&](const BenchCase& c) { return !is_asked(flags.cases, c.name); });
  const bool machine_too = is_asked(flags.cases, machine);
  if (flags.once) {
    SLOPE_CHECK_AS(UsageError, flags.cases == std::vector<std::string>{"start-up"},
                   "bench: --once belongs to the case start-up");
    return first_step();
  }
  if (flags.serve) {
    check_serves_alone(flags);
    check_one_case("--serve", cases, machine_too);
    return serve(cases[0]);
  }
  return run(cases, machine_too, flags);
}

int run_real(const Flags& flags) {
  if (!flags.write_batches.empty())
    return write_batches(flags.write_batches, flags.train, flags.count), 0;
  SLOPE_CHECK_AS(UsageError, !flags.batches.empty(),
                 "bench real: give --batches FILE, made by --write-batches FILE");
  if (flags.serve) check_serves_alone(flags);
  const Autocast products(precision_of(flags));
  const BenchCase real = real_case(flags.batches);
  return flags.serve ? serve(real) : run({real}, false, flags);
}

void add_common(Command& command, Flags& flags) {
  command.option("--steps", flags.steps, "number of steps to time (default: about two seconds)")
      .between(1, 1000000);
  command.flag("--json", flags.json, "the figures as JSON");
  command.flag("--profile", flags.profile, "print the time of each operation instead");
  command.option("--trace", flags.trace, "also write the profile as a trace for chrome://tracing")
      .takes_name("FILE");
  command.flag("--serve", flags.serve,
               "follow tools/bench/compare/protocol.md on standard input and output");
  command.option("--precision", flags.precision, "precision of matrix products (default f32)")
      .takes("f32|bf16");
  command.threads();
}

std::string listing() {
  std::string text = "Cases (operations: all of operations.*):";
  for (const BenchCase& c : all_cases()) text += fmt::format("\n  {:<18} {}", c.name, c.about);
  return text +
         fmt::format(
             "\n  {:<18} {}", machine,
             "peak rates of arithmetic, memory and matrix products in the shapes of the cases");
}

}  // namespace

void add_bench(Command& slope) {
  Command command = slope.subcommand(
      "bench",
      "Measure time and memory. Timings on shared machines vary: repeat, alternate, compare "
      "ratios.\nExample: slope bench translation decode1 --threads 2");
  static Flags flags;
  command.option("case", flags.cases, "what to measure (default: all cases below)")
      .takes_name("CASE");
  add_common(command, flags);
  command.flag("--once", flags.once).in_group("");
  command.footer(listing);
  command.may_choose_subcommand();
  Command real = command.subcommand("real",
                                    "Training steps of a translation model on fixed "
                                    "batches.\nExample: slope bench real --write-batches "
                                    "b.safetensors && slope bench real --batches b.safetensors");
  real.option("--batches", flags.batches, "the batches").takes_name("FILE");
  real.option("--write-batches", flags.write_batches, "write the first batches of a run and exit")
      .takes_name("FILE");
  real.option("--train", flags.train, "prefix of the text (default: the bundled corpus)")
      .takes_name("PREFIX");
  real.option("--count", flags.count, "how many batches to write").between(1, 999).shows_default();
  add_common(real, flags);
  real.excludes("--write-batches",
                {"--batches", "--steps", "--json", "--profile", "--trace", "--serve"});
  real.excludes("--batches", {"--train", "--count"});
  real.runs([] { return run_real(flags); });
  command
      .subcommand(
          "node",
          "A small recorded operation, and a chain of 1,000,000.\nExample: slope bench node")
      .runs(measure_nodes);
  Command scale =
      command.subcommand("scale",
                         "A training step of the character GPT against batch, sequence length, "
                         "channels, layers, vocabulary and "
                         "threads, with fitted exponents.\nExample: slope bench scale --out plots");
  scale.option("--out", flags.out, "folder for scale_time.svg and scale_memory.svg")
      .required()
      .takes_name("FOLDER");
  scale.threads();
  scale.runs([] { return measure_scale(flags.out); });
  command.runs([] { return run_named(flags); });
}

}  // namespace slope::tools
