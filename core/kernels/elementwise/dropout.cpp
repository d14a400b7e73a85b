#include <slope/core/kernels/elementwise/dropout.h>
#include <slope/core/kernels/prefetch.h>
#include <slope/core/kernels/random/philox.h>

#include <algorithm>

namespace slope {
namespace {

template <class T>
void apply(const Keep& keep, int64_t first, int64_t n, const T* x, T* y) {
  const auto scale = static_cast<T>(keep.scale);
  const uint32_t threshold = keep.threshold;
  constexpr int64_t piece = 512;
  for (; n > 0; first += piece, n -= piece, x += piece, y += piece) {
    fetch(x + piece, piece);
    fetch_to_write(y + piece, piece);
    for_each_bits(keep.site, first, std::min(n, piece), [=](int64_t i, uint32_t bits) {
      const T scaled = x[i] * scale;
      y[i] = bits >= threshold ? scaled : T(0);
    });
  }
}

}  // namespace

SLOPE_KERNELS(DropoutKernels, apply<T>)

}  // namespace slope
