// The subcommands of `slope`, each added by a file of commands/. A subcommand runs an action that
// returns the exit code; errors are exceptions, which command_main.cpp turns into one line on
// stderr and an exit code.
#pragma once

#include <slope/core/error.h>
#include <slope/core/text/visible.h>
#include <slope/tools/command_line.h>

#include <string>
#include <vector>

namespace slope::tools {

void add_train(Command& slope);
void add_sweep(Command& slope);
void add_translate(Command& slope);
void add_generate(Command& slope);
void add_eval(Command& slope);
void add_gradcheck(Command& slope);
void add_export(Command& slope);
void add_inspect(Command& slope);
void add_graph(Command& slope);
void add_plot(Command& slope);
void add_explore(Command& slope);
void add_lint(Command& slope);
void add_museum(Command& slope);
void add_zoo(Command& slope);
void add_bench(Command& slope);

// the folder of the German-English corpus; IoError if it is not installed
std::string bundled_corpus();

// Writes to standard output, including NUL characters. IoError if that fails, so that no command
// goes on computing results that cannot be read.
void print(const std::string& text);
// The same for what a model has written: as it is to a file or a pipe; to a terminal with all that
// it would act on escaped, but for line breaks and tabs.
void print_text(const std::string& text);
void flush();
// Call before writing `out`, the value of `flag`: UsageError if it is a file of a run, one of the
// files in `read`, or the file that standard input reads.
void refuse_to_replace(const char* flag, const std::string& out,
                       const std::vector<std::string>& read = {});

// Calls f and puts `what` (a file's name, "the prompt") before the message of its InputErrors.
template <class F>
auto naming(const std::string& what, F f) {
  try {
    return f();
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", what, e.what()));
  }
}

std::string version_text();  // slope, kernels, units of matrix products, threads

}  // namespace slope::tools
