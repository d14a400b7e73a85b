// Dropout whose random numbers can be drawn again, from their site. Private to autograd/ops.
#pragma once

#include <slope/core/kernels/elementwise/dropout.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

inline void check_probability(const char* op, double p) {
  SLOPE_CHECK(p >= 0 && p <= 1, "{}: p = {} is no probability; it must be within [0, 1]", op, p);
}

inline Keep keep_for(double p, const RandomSite& site) {
  return {site, static_cast<uint32_t>(std::min(p * 0x1p32, 4294967295.0)),
          p == 1 ? 0 : 1 / (1 - p)};
}

// Conversion of a site to an attribute and back.
inline Dims to_dims(const RandomSite& site) {
  return {static_cast<int64_t>(site.seed), site.site, site.step, site.stream};
}
inline RandomSite to_site(const Dims& d) {
  return {static_cast<uint64_t>(d[0]), static_cast<uint32_t>(d[1]), static_cast<uint32_t>(d[2]),
          static_cast<uint32_t>(d[3])};
}

// Dropout with given random numbers; differentiable.
Tensor dropout_at(const Tensor& x, double p, const RandomSite& site);

}  // namespace slope
