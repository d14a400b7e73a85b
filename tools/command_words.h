// The words of a command line before CLI11 parses them: what it would misread is refused or
// rewritten.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace slope::tools {

struct Word {
  const std::string& text;
  bool is_value;             // the option before it takes it, or it stands after `--`
  const CLI::App* app;       // the subcommand that sees it
  std::string command_path;  // "slope train lm"
};

// UsageError if an option that needs a value has another option after it: `--out --quiet`. The
// words refer to `given`.
std::vector<Word> words_of(const CLI::App& app, const std::vector<std::string>& given);

// Refuses `--quiet=`, and `--bias ""` where the value may be left out: CLI11 would read both as the
// option without a value.
void refuse_empty_answers(const std::vector<Word>& words);

// `--name=` becomes `--name ""`, and `-n=x` becomes `-n x`; CLI11 would take the equals sign for a
// part of the value.
std::vector<std::string> with_values_apart(const std::vector<Word>& given);

}  // namespace slope::tools
