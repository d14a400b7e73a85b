// slope explore: a program of the explorer's language, its tape and its backward as JSON.
#include <slope/tools/command.h>
#include <slope/tools/explorer/explore.h>

#include <iostream>
#include <iterator>

namespace slope::tools {

namespace {

struct Flags {
  std::string program, dtype = "f32";
  int64_t seed = 0;
  bool json = false, check = false;
};

int run(const Flags& flags) {
  SLOPE_CHECK_AS(UsageError, flags.json, "explore: say what to write: --json");
  SLOPE_CHECK_AS(UsageError, flags.dtype == "f32" || flags.dtype == "f64",
                 "--dtype takes f32 or f64, got {}", flags.dtype);
  explorer::Request request{.program = flags.program,
                            .dtype = flags.dtype == "f64" ? f64 : f32,
                            .seed = static_cast<uint64_t>(flags.seed)};
  if (flags.program == "-")
    request.program = {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  const std::string text = flags.check ? explorer::check(request) : explorer::explore(request);
  print(text);
  return text.starts_with("{\"error\"") ? 3 : 0;
}

}  // namespace

void add_explore(Command& slope) {
  Command command = slope.subcommand(
      "explore",
      "Run a program in the explorer's language and print its tape and its backward, as the page "
      "shows them.\nExample: slope explore --json 'x = [1, 2, 3]; sum(x ^ 2)'");
  static Flags flags;
  command.option("program", flags.program, "the program; -: standard input")
      .required()
      .takes("PROGRAM");
  command.flag("--json", flags.json, "as JSON: values, operations, events of backward");
  command.flag("--check", flags.check, "the gradients by central differences in place of the tape");
  command.option("--dtype", flags.dtype, "of the program's numbers").takes("f32|f64");
  command.option("--seed", flags.seed, "of randn and dropout").between(0, 1'000'000'000);
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
