#include <slope/core/kernels/dropout.h>
#include <slope/core/kernels/philox.h>

namespace slope {
namespace {

template <class T>
void apply(const Keep& keep, int64_t first, int64_t n, const T* x, T* y) {
  const auto scale = static_cast<T>(keep.scale);
  const uint32_t threshold = keep.threshold;
  for_each_bits(keep.site, first, n, [=](int64_t i, uint32_t bits) {
    const T scaled = x[i] * scale;
    y[i] = bits >= threshold ? scaled : T(0);
  });
}

}  // namespace

template <>
DropoutKernels<float> variant<DropoutKernels<float>, Isa::SLOPE_ISA>() {
  return {apply<float>};
}
template <>
DropoutKernels<double> variant<DropoutKernels<double>, Isa::SLOPE_ISA>() {
  return {apply<double>};
}

}  // namespace slope
