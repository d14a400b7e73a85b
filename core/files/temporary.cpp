#include <slope/core/files/temporary.h>
#ifndef SLOPE_PLAIN

namespace slope {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && (text == "0" || text[0] != '0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

std::optional<MadeFor> made_for(std::string_view temporary) {
  constexpr std::string_view end = ".tmp";
  if (!temporary.ends_with(end)) return std::nullopt;
  temporary.remove_suffix(end.size());
  const size_t dot = temporary.rfind('.'), dash = temporary.rfind('-');
  if (dot != temporary.npos && dash != temporary.npos && dash > dot &&
      is_number(temporary.substr(dot + 1, dash - dot - 1)) && is_number(temporary.substr(dash + 1)))
    return MadeFor{temporary.substr(0, dot)};
  return MadeFor{temporary, false};
}

}  // namespace slope
#endif
