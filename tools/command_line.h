// The command line of a subcommand: each option once, with the variable that it sets, its name, its
// help and its limits.
//
//   Command command =
//       parent.subcommand("generate", "Write text.\nExample: slope generate runs/first");
//   command.option("--tokens", tokens, "characters to write").between(0, 1000).shows_default();
//   command.runs([] { return 0; });
//
// CLI11 parses it. Its templates take ten seconds per file to compile, so only command_line.cpp,
// command_words.cpp and usage_fault.cpp include them.
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

using Action = std::function<int()>;  // returns the exit code

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& required();
  Option& value_may_be_left_out();              // it is then empty
  Option& takes(const std::string& word);       // what --help calls its value: "TEXT"
  Option& takes_name(const std::string& word);  // the same; the empty string is refused
  Option& between(int64_t least, int64_t most);
  Option& between_reals(double least, double most);
  Option& shows_default();                     // shows the variable's current value in --help
  Option& in_group(const std::string& title);  // a heading in --help; "" hides it

 private:
  void describe();  // word, range and default in --help
  CLI::Option* option_;
  std::string word_ = "TEXT", range_, default_;
};

class Command {
 public:
  Command(CLI::App* app, Action* action) : app_(app), action_(action) {}
  Command subcommand(const std::string& name, const std::string& help);
  void chooses_subcommand();     // a subcommand is required
  void may_choose_subcommand();  // a subcommand is optional

  // `names`: "run" is positional, "--beam" a flag, "-o,--out" has two names.
  Option option(const std::string& names, std::string& place, const std::string& help);
  Option option(const std::string& names, int64_t& place, const std::string& help);
  Option option(const std::string& names, double& place, const std::string& help);
  // all remaining words
  Option option(const std::string& names, std::vector<std::string>& place, const std::string& help);
  Option option(const std::string& names, std::function<void(const std::string& value)> keep,
                const std::string& help);
  Option flag(const std::string& names, bool& place, const std::string& help = "");
  // Refuses `option` together with any of `others`; declare all of them first.
  void excludes(const std::string& option, const std::vector<std::string>& others);
  void needs(const std::string& option, const std::string& other);
  void threads();  // --threads N, checked and set when the command line is parsed
  void footer(std::function<std::string()> text);
  void runs(Action action);  // after the whole line is parsed, unless a subcommand has its own

 private:
  CLI::App* app_;
  Action* action_;
};

// Parses the command line. Throws a UsageError of one line, which names the offending word.
Action parse_command_line(int argc, char** argv);

}  // namespace slope::tools
