// slope explore: the tape and backward pass of a program in the explorer's language as JSON; or the
// page of a model or a run.
#include <slope/core/files/file_sink.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/text/visible_json.h>
#include <slope/models/data/text/utf8.h>
#include <slope/tools/command.h>
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/language/interpreter.h>
#include <slope/tools/explorer/run_page.h>
#include <slope/tools/explorer/source/source.h>

namespace slope::tools {

namespace {

struct Flags {
  std::string program, dtype = "f32", out, page;
  int64_t seed = 0, values = explorer::RunPage{}.values;
  bool json = false, check = false, cpp = false, pytorch = false;
};

int write_page(const Flags& flags) {
  SLOPE_CHECK_AS(UsageError, flags.out.ends_with(".html"), "-o {}: a page is written as .html",
                 flags.out);
  refuse_to_replace("-o", flags.out, {flags.page});
  write_file(flags.out, explorer::page_of_run(
                            {.model = flags.program, .page = flags.page, .values = flags.values}));
  return 0;
}

std::string answer_to(const explorer::Request& request, const Flags& flags) {
  if (flags.json) return flags.check ? explorer::check(request) : explorer::explore(request);
  try {
    return explorer::source_of(request,
                               flags.cpp ? explorer::Language::cpp : explorer::Language::pytorch);
  } catch (const explorer::Fault& fault) {
    throw InputError(
        fmt::format("line {}, column {}: {}", fault.place.line, fault.place.column, fault.what()));
  }
}

int run(const Flags& flags) {
  if (!flags.out.empty()) return write_page(flags);
  SLOPE_CHECK_AS(
      UsageError, flags.json + flags.cpp + flags.pytorch == 1,
      "explore: say what to write: --json, --cpp or --pytorch for a program, -o PAGE.html for a "
      "model or run");
  SLOPE_CHECK_AS(UsageError, flags.dtype == "f32" || flags.dtype == "f64",
                 "--dtype takes f32 or f64, got {}", flags.dtype);
  explorer::Request request{.program = flags.program,
                            .dtype = flags.dtype == "f64" ? f64 : f32,
                            .seed = static_cast<uint64_t>(flags.seed)};
  if (flags.program == "-") {
    request.program.clear();
    InputStream("-").read_all(request.program, int64_t{explorer::Limits().length});
    if (request.program.starts_with(data::byte_order_mark))
      request.program.erase(0, data::byte_order_mark.size());
  }
  const std::string text = answer_to(request, flags);
  print(visible_json(text));
  return text.starts_with("{\"error\"") ? 3 : 0;
}

}  // namespace

void add_explore(Command& slope) {
  Command command = slope.subcommand(
      "explore",
      "Run a program in the explorer's language and print its tape and backward pass, as the page "
      "shows them; or write the page of a model's training step.\nExample: slope explore --json 'x "
      "= [1, 2, 3]; sum(x ^ 2)'\nExample: slope explore runs/first -o page.html");
  static Flags flags;
  command
      .option("program", flags.program,
              "the program (-: standard input), or a model of the zoo, or a run's folder")
      .required()
      .takes("PROGRAM|MODEL|RUN");
  command.flag("--json", flags.json, "as JSON: values, operations, events of backward");
  command.flag("--check", flags.check,
               "check the gradients with central differences instead of printing the tape");
  command.flag("--cpp", flags.cpp, "as a C++ program that prints the same numbers");
  command.flag("--pytorch", flags.pytorch, "the same in Python, with PyTorch");
  command.option("--dtype", flags.dtype, "dtype of the program's numbers").takes("f32|f64");
  command.option("--seed", flags.seed, "seed of randn and dropout").between(0, 1'000'000'000);
  command.option("-o,--out", flags.out, "write the page of a model or a run").takes("PAGE.html");
  command
      .option("--page", flags.page,
              "the page to fill in, made by tools/explorer/build (default: the installed one)")
      .takes("FILE.html");
  command
      .option("--values", flags.values,
              "show tensors of at most this many elements in full, larger ones by shape and norm")
      .between(1, 100'000)
      .shows_default();
  command.excludes("--out", {"--json", "--check", "--cpp", "--pytorch"});
  command.needs("--page", "--out");
  command.needs("--values", "--out");
  command.needs("--check", "--json");
  command.runs([] { return run(flags); });
}

}  // namespace slope::tools
