// The subcommands of `slope`: each file of this folder adds one. What it does when it was chosen is an action that returns the exit code;
// errors are exceptions, turned into one line on stderr and the exit code in main.cpp.
#pragma once

#include <slope/core/error.h>

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace slope::tools {

using Action = std::function<int()>;

void add_train(CLI::App& app, Action& action);
void add_translate(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_gradcheck(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_zoo(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

void add_threads(CLI::App& command);  // --threads N, checked and set when the command line is parsed
std::string bundled_corpus();         // the folder of the German-English corpus; IoError where it is not installed
void check_text(const std::string& flag, const std::string& value);  // UsageError where it is empty

// What f gives; an InputError of it names the file that it is about.
template <class F>
auto with_file(const std::string& file, F f) {
  try {
    return f();
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", file, e.what()));
  }
}

std::string version_text();  // slope, compiler, instruction set, BLAS

}  // namespace slope::tools
