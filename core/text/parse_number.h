// Parses a text that is one number: decimal, finite and in the type's range.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace slope {

// False, with `value` unchanged, if `text` is not such a number.
template <class Number>
bool parse_number(std::string_view text, Number& value) {
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  // inf - inf is nan
  if (error != std::errc() || end != text.data() + text.size() || read - read != 0) return false;
  value = read;
  return true;
}

}  // namespace slope
