// The command line of a subcommand: each option said once, with the variable that it fills, its
// name, its help and its limits.
//
//   Command command =
//       parent.subcommand("generate", "Write text.\nExample: slope generate runs/first");
//   command.option("--tokens", tokens, "characters to write").between(0, 1000).shows_default();
//   command.runs([] { return 0; });
//
// CLI11 reads it; its templates take ten seconds a file to compile, so command_line.cpp alone
// includes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slope::tools {

using Action = std::function<int()>;  // gives the exit code

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& not_empty();
  Option& value_may_be_left_out(const std::string& meant);
  Option& takes(const std::string& word);  // its value's name in --help: "FILE"
  Option& between(int64_t least, int64_t most);
  Option& between_reals(double least, double most);
  Option& shows_default();                     // in --help: the variable's value as it is now
  Option& in_group(const std::string& title);  // of --help; "" hides it

 private:
  CLI::Option* option_;
};

class Command {
 public:
  Command(CLI::App* app, Action* action) : app_(app), action_(action) {}
  Command subcommand(const std::string& name, const std::string& help);
  void chooses_subcommand();     // one has to be named
  void may_choose_subcommand();  // at most one

  // `names`: "run" is positional, "--beam" a flag, "-o,--out" has two names.
  Option option(const std::string& names, std::string& place, const std::string& help);
  Option option(const std::string& names, int64_t& place, const std::string& help);
  Option option(const std::string& names, double& place, const std::string& help);
  // all that follow
  Option option(const std::string& names, std::vector<std::string>& place, const std::string& help);
  Option option(const std::string& names, std::function<void(const std::string& value)> keep,
                const std::string& help);
  Option flag(const std::string& names, bool& place, const std::string& help = "");
  void threads();  // --threads N, checked and set when the command line is parsed
  void footer(std::function<std::string()> text);
  void runs(Action action);  // once the whole line is parsed, where no subcommand has its own

 private:
  CLI::App* app_;
  Action* action_;
};

// What the command line asks for. UsageError, in one line that names the word it is about, where it
// cannot be read.
Action parse_command_line(int argc, char** argv);

}  // namespace slope::tools
