// A list as users write it on a command line: "1000,1500".
#pragma once

#include <string>
#include <vector>

namespace slope {

// The parts between commas, empty ones too, so that a stray comma is noticed; an empty text has no
// parts.
inline std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  if (text.empty()) return items;
  size_t begin = 0;
  for (size_t comma; (comma = text.find(',', begin)) != text.npos; begin = comma + 1)
    items.push_back(text.substr(begin, comma - begin));
  items.push_back(text.substr(begin));
  return items;
}

}  // namespace slope
