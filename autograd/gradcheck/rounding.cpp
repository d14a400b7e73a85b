#include <slope/autograd/gradcheck/rounding.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <cmath>

namespace slope {

Tensor scaled(double c, const Tensor& u) {
  Tensor w = contiguous_copy(u);
  visit_floating(w.dtype(), "gradcheck", [&]<class T> {
    const auto out = w.write<T>();
    for (int64_t i = 0; i < w.numel(); ++i) out[i] *= static_cast<T>(c);
  });
  return w;
}

std::vector<double> rounding_of(const std::function<Tensors(double c)>& pass, bool rounds_to_bf16) {
  const double little = rounds_to_bf16 ? 0x1p-5 : 0x1p-12;  // but many of a gradient's last digits
  const Tensors of_u = pass(1);
  std::vector<double> change(of_u.size());
  for (const double c : {1 + little, 1 - 1.5 * little}) {
    const Tensors of_cu = pass(c);
    for (size_t i = 0; i < of_u.size(); ++i) {
      if (!of_u[i].defined() || !of_cu[i].defined()) continue;
      const std::vector<double> x = of_u[i].to_vector(), cx = of_cu[i].to_vector();
      double squares = 0,
             n = 0;  // of those that rounding changes: a gradient may be 0 almost everywhere
      for (size_t e = 0; e < x.size(); ++e)
        if (const double d = cx[e] - c * x[e]; d != 0 && std::isfinite(d)) squares += d * d, ++n;
      const double usual = n > 0 ? std::sqrt(squares / n) : 0;
      change[i] = std::max(change[i], 12 * usual);
    }
  }
  return change;
}

}  // namespace slope
