// Dropout (Srivastava et al., 2014), scaled in training:
//   y  = x / (1 - p) where the element is kept, else 0
//   dx = g / (1 - p) where it was, else 0: the same function of g, from the same draw
#include <slope/autograd/ops/elementwise/dropout.h>
#include <slope/autograd/ops/reduce/rows.h>

namespace slope {

namespace {

// y may be x.
void apply(double p, const RandomSite& site, const Tensor& x, const Tensor& y) {
  const Tensor xs = contiguous_values(x);
  const Keep keep = keep_for(p, site);
  visit_floating(x.dtype(), "dropout", [&]<class T> {
    const T* px = xs.data<T>();
    T* out = y.write<T>();
    parallel_for(x.numel(), 32768, [&](int64_t begin, int64_t end) {
      kernels<DropoutKernels<T>>().apply(keep, begin, end - begin, px + begin, out + begin);
    });
  });
}

Grads kernel(const Saved& s, const Tensor& g) {
  const double p = s.number("p");
  const RandomSite site = to_site(s.dims("site"));
  const Tensor dx = p < 1 ? s.grad_to_overwrite() : Tensor();
  if (!dx.defined()) return {dropout_at(g, p, site)};
  apply(p, site, g, dx);
  return {dx};
}

}  // namespace

namespace ops {
extern const Op dropout{.name = "dropout",
                        .signature = "(*) -> (*)",
                        .formula =
                            [](const Saved& s, const Tensor& g) {
                              return Grads{dropout_at(g, s.number("p"), to_site(s.dims("site")))};
                            },
                        .kernel = kernel,
                        .recompute =
                            [](const Saved& s) {
                              return dropout_at(s.input(0), s.number("p"), to_site(s.dims("site")));
                            }};
}

Tensor dropout_at(const Tensor& x, double p, const RandomSite& site) {
  Tensor y;
  if (p == 1) {
    y = zeros(x.shape(), x.dtype());
  } else {
    y = Tensor::empty(x.shape(), x.dtype());
    apply(p, site, x, y);
  }
  return ops::dropout.record(y, {x}, {{"p", p}, {"site", to_dims(site)}});
}

Tensor dropout(const Tensor& x, double p, bool train) {
  check_probability("dropout", p);
  SLOPE_CHECK_DTYPE(is_floating(x.dtype()), "dropout: needs float32 or float64, got {}",
                    name(x.dtype()));
  if (!train || p == 0) return x;
  return dropout_at(x, p, generator().next_site());
}

}  // namespace slope
