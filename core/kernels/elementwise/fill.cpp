#include <slope/core/kernels/elementwise/fill.h>
#include <slope/core/kernels/lines.h>

namespace slope {
namespace {

template <class Write>
void fill_lines(int64_t bytes, const char* line, char* to, const Write& write) {
  const int64_t before = std::min(bytes, to_next_line(to));
  std::memcpy(to, line, static_cast<size_t>(before));
  int64_t i = before;
  for (; i + line_bytes <= bytes; i += line_bytes) write(to + i);
  std::memcpy(to + i, line, static_cast<size_t>(bytes - i));
}

void fill(int64_t bytes, const void* line, void* to, bool past_caches) {
  const auto* x = static_cast<const char*>(line);
  auto* y = static_cast<char*>(to);
  if (past_caches) return fill_lines(bytes, x, y, [x](char* at) { write_line(x, at); });
  const auto values = load(x);
  fill_lines(bytes, x, y, [values](char* at) {
    for (int64_t l = 0; l < line_bytes; l += vector_bytes)
      std::memcpy(at + l, &values, vector_bytes);
  });
}

}  // namespace

SLOPE_KERNEL(Fill, fill)

}  // namespace slope
