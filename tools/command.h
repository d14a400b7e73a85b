// The subcommands of `slope`: each file of commands/ adds one. What it does when it was chosen is
// an action that returns the exit code; errors are exceptions, turned into one line on stderr and
// the exit code in main.cpp.
#pragma once

#include <slope/core/error.h>
#include <slope/tools/command_line.h>

#include <string>

namespace slope::tools {

void add_train(Command& slope);
void add_translate(Command& slope);
void add_generate(Command& slope);
void add_eval(Command& slope);
void add_gradcheck(Command& slope);
void add_inspect(Command& slope);
void add_graph(Command& slope);
void add_zoo(Command& slope);
void add_bench(Command& slope);

// the folder of the German-English corpus; IoError where it is not installed
std::string bundled_corpus();
// in one line: "\\x1b" for what a terminal would obey
std::string visible(const std::string& text);

// On standard output, NUL characters too; IoError where it cannot be written, so that nothing is
// computed that nobody reads.
void print(const std::string& text);
void flush();

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
