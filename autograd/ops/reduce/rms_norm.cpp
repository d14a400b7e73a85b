// Root mean square normalisation (Zhang and Sennrich, 2019), over the last dims.
#include <slope/autograd/ops/reduce/normalisation.h>
#include <slope/core/kernels/reduce/layer_norm.h>
#include <slope/core/loops/widened.h>

namespace slope {

namespace {

Tensors rms_norm_reference(const Saved& s) {
  const Tensor x = s.input(0);
  Tensor y = x.numel() == 0 ? x * 1 : over_root_mean_square(x, s.dims("dims"), s.number("eps"));
  if (s.integer("weight")) y = y * s.input(1);
  return {y};
}

Grads rms_norm_kernel(const Saved& s, const Tensor& g) {
  const Tensor x = contiguous_values(s.kept_input(0)), gs = contiguous_values(g), rstd = s.extra(0);
  const Tensor weight = s.integer("weight") ? contiguous_values(s.input(1)) : Tensor();
  const NormShape shape("rms_norm", gs, weight);
  const GradTarget dx = s.needs(0) ? s.target(0, x.shape(), g.dtype()) : GradTarget();
  const bool sums = s.needs(1);
  Tensors dw;
  visit_floating(g.dtype(), "rms_norm", [&]<class T> {
    const T *pw = data_or_null<T>(weight), *ps = rstd.data<T>(), *pg = gs.data<T>();
    T* out = s.needs(0) ? static_cast<T*>(dx.tensor.write<T>()) : nullptr;
    dw = sums_over_rows<T>(
        shape.rows, shape.normalised, sums ? 1 : 0, [&](int64_t begin, int64_t end, T* partial) {
          const int64_t n = shape.n, at = begin * n;
          kernels<NormKernels<T>>().rms_norm_backward(
              end - begin, n, Widened<T>(x, at, end * n), pw, ps + begin, pg + at,
              out ? out + at : nullptr, dx.adds, sums ? partial : nullptr);
        });
  });
  return Grads{dx.result(), sums ? dw[0] : Tensor()};
}

Tensor rms_norm_recompute(const Saved& s) {
  return rms_norm(s.input(0), s.integer("weight") ? s.input(1) : Tensor(), s.number("eps"));
}

}  // namespace

namespace ops {
extern const Op rms_norm{
    .name = "rms_norm",
    .signature = "(*), (*)? -> (*)",
    .definition = {.forward = "z = x rstd,  rstd = 1 / sqrt(mean(x^2) + eps),  y = w z",
                   .derivative =
                       "dx = rstd (h - z mean(h z)),  h = w g,  dw = sum over rows of g z"},
    .saves = saves_inputs,
    .rounds = saves_input(0),
    .kernel = rms_norm_kernel,
    .reference = rms_norm_reference,
    .recompute = rms_norm_recompute};
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps) {
  const NormShape shape("rms_norm", x, weight);
  const Tensor xs = contiguous_values(x), w = weight.defined() ? contiguous_values(weight) : weight;
  const Tensor y = Tensor::empty(x.shape(), x.dtype()),
               rstd = Tensor::empty({shape.rows}, x.dtype());
  visit_floating(x.dtype(), "rms_norm", [&]<class T> {
    const T *px = xs.data<T>(), *pw = data_or_null<T>(w);
    T *out = y.write<T>(), *ps = rstd.write<T>();
    parallel_for(shape.rows, rows_per_chunk(shape.n), [&](int64_t begin, int64_t end) {
      const int64_t n = shape.n, at = begin * n;
      kernels<NormKernels<T>>().rms_norm(end - begin, n, static_cast<T>(eps), px + at, pw, out + at,
                                         ps + begin);
    });
  });
  return ops::rms_norm.record(
      y, {x, weight}, {{"eps", eps}, {"dims", shape.dims}, {"weight", int64_t{weight.defined()}}},
      {rstd});
}

}  // namespace slope
