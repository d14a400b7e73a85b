// Words of a line: Python's re.findall(r"\w+|[^\w\s]", line.lower()): runs of letters and digits,
// and every other visible character alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slope::data {

using Tokens = std::vector<std::string>;

struct WordOptions {
  bool lowercase = true;
};
Tokens split_words(std::string_view line,
                   const WordOptions& options = {});  // InputError: not UTF-8
Tokens split_spaces(std::string_view text);           // Python's str.split()

std::string join(const Tokens& tokens, std::string_view between = " ");

}  // namespace slope::data
