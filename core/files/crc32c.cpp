#include <slope/core/files/crc32c.h>

#include <array>
#include <cstring>

namespace slope {
namespace {

// table[k][b]: the remainder of byte b followed by k zero bytes.
using Tables = std::array<std::array<uint32_t, 256>, 8>;
constexpr Tables make_tables() {
  Tables table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = r >> 1 ^ (r & 1 ? 0x82F63B78u : 0u);
    table[0][b] = r;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t b = 0; b < 256; ++b)
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xFF];
  return table;
}
constexpr Tables table = make_tables();

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  const char* p = bytes.data();
  size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= table[7 - k][word >> (8 * k) & 0xFF];
  }
  for (; n > 0; --n, ++p) crc = crc >> 8 ^ table[0][(crc ^ static_cast<unsigned char>(*p)) & 0xFF];
  return ~crc;
}

uint32_t crc32c_around(std::string_view text, size_t at) {
  return crc32c(text.substr(at + no_crc32c.size()), crc32c(no_crc32c, crc32c(text.substr(0, at))));
}

}  // namespace slope
