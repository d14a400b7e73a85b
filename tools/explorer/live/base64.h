// Decodes base64 (RFC 4648), in which the page passes a model.
#pragma once

#include <slope/core/error.h>

#include <string>
#include <string_view>

namespace slope::explorer {

inline std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const size_t digit = digits.find(c);
    SLOPE_CHECK_INPUT(digit != std::string_view::npos, "base64: byte {} is no digit",
                      static_cast<int>(static_cast<unsigned char>(c)));
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((held += 6) < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xFF);
  }
  return bytes;
}

}  // namespace slope::explorer
