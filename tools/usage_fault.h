// What is wrong with a command line, in one line that names the offending word.
#pragma once

#include <slope/tools/command_words.h>

namespace CLI {
class ParseError;
}

namespace slope::tools {

// UsageError for what stands before a subcommand: `slope bench --json node`, where the subcommand
// would not see what belongs to its parent.
void refuse_what_stands_before(const CLI::App& app);

// The line for an error of CLI11, with the nearest name if there is one.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error,
                        const std::vector<Word>& given);

}  // namespace slope::tools
