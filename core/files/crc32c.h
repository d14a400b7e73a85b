// CRC-32C (Castagnoli, reflected 0x82F63B78; RFC 3720): finds any single flipped bit of a file.
// Table-driven, eight bytes a step.
#pragma once

#include <cstdint>
#include <string_view>

namespace slope {

// Continues `crc`, so that crc32c(b, crc32c(a)) is the checksum of a followed by b.
uint32_t crc32c(std::string_view bytes, uint32_t crc = 0);

// The checksum of a text that contains its own checksum: eight hexadecimal digits from `at` on,
// which are taken as zeros.
inline constexpr std::string_view no_crc32c = "00000000";
uint32_t crc32c_around(std::string_view text, size_t at);

}  // namespace slope
