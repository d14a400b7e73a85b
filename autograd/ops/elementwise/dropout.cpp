// Dropout (Srivastava et al., 2014); the kept elements are scaled in training.
#include <slope/autograd/ops/elementwise/dropout.h>
#include <slope/autograd/ops/reduce/rows.h>

namespace slope {

namespace {

// y = dropout of x; in place if y is x.
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

// The forward applied to g, with the same random numbers.
Grads formula(const Saved& s, const Tensor& g) {
  return {dropout_at(g, s.number("p"), to_site(s.dims("site")))};
}

Grads dropout_kernel(const Saved& s, const Tensor& g) {
  const double p = s.number("p");
  if (p == 1) return formula(s, g);
  const GradTarget dx = s.target(0, g.shape(), g.dtype(), {.may_add = false, .over = &g});
  apply(p, to_site(s.dims("site")), g, dx.tensor);
  return {dx.tensor};
}

Tensor dropout_recompute(const Saved& s) {
  return dropout_at(s.input(0), s.number("p"), to_site(s.dims("site")));
}

}  // namespace

namespace ops {
extern const Op dropout{
    .name = "dropout",
    .signature = "(*) -> (*)",
    .definition = {.forward = "y = x / (1 - p) where the draw keeps the element, else 0",
                   .derivative = "dx = g / (1 - p) where x was kept, else 0"},
    .rounds = saves_input(0),  // which only recomputing needs
    .formula = formula,
    .kernel = dropout_kernel,
    .recompute = dropout_recompute};
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
