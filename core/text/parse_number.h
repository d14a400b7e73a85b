// Parses a text that is one number: decimal, finite and in the type's range.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>
#include <type_traits>

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

// Whether `text`, which parse_number refuses, is a number all the same: too large for the type, or
// for a real type too close to 0.
template <class Number>
bool is_out_of_range(std::string_view text) {
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

// what to say of such a text
template <class Number>
constexpr const char* out_of_range_text =
    std::is_integral_v<Number> ? "does not fit in 64 bits"
                               : "is too large or too close to 0 for a number";

}  // namespace slope
