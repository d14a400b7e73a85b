#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/core/tensor/random.h>

namespace slope {

Tensor random_cotangent(const Dims& shape, DType dtype, uint64_t seed, size_t output) {
  Tensor u = Tensor::empty(shape, dtype);
  const RandomSite site{.seed = seed, .site = static_cast<uint32_t>(output)};
  visit_floating(dtype, "gradcheck", [&]<class T> {
    const auto out = u.write<T>();
    for (int64_t i = 0; i < u.numel(); ++i) {
      const double v = uniform_f64(site, i);
      out[i] = static_cast<T>(v < 0.5 ? -0.5 - 2 * v : 2 * v - 0.5);
    }
  });
  return u;
}

}  // namespace slope
