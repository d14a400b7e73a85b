// A check that a drawing is well-formed XML: tags balance, attributes are quoted, no stray < or &.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slope::test {

inline size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size()) ++n;
  return n;
}

inline bool well_formed(std::string_view xml) {
  std::vector<std::string_view> open;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const std::string_view entity = xml.substr(i, xml.find(';', i) - i);
      if (entity != "&amp" && entity != "&lt" && entity != "&gt" && entity != "&quot") return false;
    }
    if (static_cast<unsigned char>(xml[i]) < 32 && xml[i] != '\n' && xml[i] != '\t') return false;
    if (xml[i] != '<') continue;
    size_t end = i + 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (xml[end] == '<') return false;
    }
    if (end == xml.size()) return false;
    const std::string_view tag = xml.substr(i + 1, end - i - 1),
                           name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
    i = end;
  }
  return open.empty();
}

}  // namespace slope::test
