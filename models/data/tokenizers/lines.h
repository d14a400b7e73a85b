// Visits the lines of a text and the breaks between them.
#pragma once

#include <string_view>

namespace slope::data {

// Calls on_line(line) for every line, empty ones too, and on_break() between them.
template <class OnLine, class OnBreak>
void for_each_line(std::string_view text, const OnLine& on_line, const OnBreak& on_break) {
  for (;;) {
    const size_t end = text.find('\n');
    on_line(text.substr(0, end));
    if (end == text.npos) return;
    on_break();
    text.remove_prefix(end + 1);
  }
}

}  // namespace slope::data
