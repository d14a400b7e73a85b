// Layer normalisation (Ba, Kiros and Hinton, 2016), over the last dims.
#include <slope/autograd/ops/reduce/normalisation.h>
#include <slope/core/kernels/reduce/layer_norm.h>
#include <slope/core/loops/widened.h>

namespace slope {

namespace {

Tensors layer_norm_reference(const Saved& s) {
  const Tensor x = s.input(0);
  const Dims& dims = s.dims("dims");
  Tensor y = x.numel() == 0
                 ? x * 1
                 : over_root_mean_square(centred(x, wrap_dims(dims, x.rank(), "layer_norm")), dims,
                                         s.number("eps"));
  if (s.integer("weight")) y = y * s.input(1);
  if (s.integer("bias")) y = y + s.input(2);
  return {y};
}

Grads layer_norm_kernel(const Saved& s, const Tensor& g) {
  const Tensor x = contiguous_values(s.kept_input(0)), gs = contiguous_values(g),
               origin = s.extra(0), offset = s.extra(1), rstd = s.extra(2);
  const Tensor weight = s.integer("weight") ? contiguous_values(s.input(1)) : Tensor();
  const NormShape shape("layer_norm", gs, weight, s.integer("bias") ? s.input(2) : Tensor());
  const GradTarget dx = s.needs(0) ? s.target(0, x.shape(), g.dtype()) : GradTarget();
  const bool sums = s.needs(1) || s.needs(2);
  Tensors dwb;
  visit_floating(g.dtype(), "layer_norm", [&]<class T> {
    const T *pw = data_or_null<T>(weight), *po = origin.data<T>(), *pm = offset.data<T>(),
            *ps = rstd.data<T>(), *pg = gs.data<T>();
    T* out = s.needs(0) ? static_cast<T*>(dx.tensor.write<T>()) : nullptr;
    dwb = sums_over_rows<T>(shape.rows, shape.normalised, sums ? 2 : 0,
                            [&](int64_t begin, int64_t end, T* partial) {
                              const int64_t n = shape.n, at = begin * n;
                              kernels<NormKernels<T>>().layer_norm_backward(
                                  end - begin, n, Widened<T>(x, at, end * n), pw, po + begin,
                                  pm + begin, ps + begin, pg + at, out ? out + at : nullptr,
                                  dx.adds, sums ? partial : nullptr, sums ? partial + n : nullptr);
                            });
  });
  return Grads{dx.result(), s.needs(1) ? dwb[0] : Tensor(), s.needs(2) ? dwb[1] : Tensor()};
}

Tensor layer_norm_recompute(const Saved& s) {
  return layer_norm(s.input(0), s.integer("weight") ? s.input(1) : Tensor(),
                    s.integer("bias") ? s.input(2) : Tensor(), s.number("eps"));
}

}  // namespace

namespace ops {
extern const Op layer_norm{
    .name = "layer_norm",
    .signature = "(*), (*)?, (*)? -> (*)",
    .definition =
        {.forward =
             "z = (x - mean x) rstd,  rstd = 1 / sqrt(mean((x - mean x)^2) + eps),  y = w z + b",
         .derivative = "dx = rstd (h - mean(h) - z mean(h z)),  h = w g,  dw = sum of g z,  db = "
                       "sum of g, over rows"},
    .saves = saves_inputs,
    .rounds = saves_input(0),
    .kernel = layer_norm_kernel,
    .reference = layer_norm_reference,
    .recompute = layer_norm_recompute};
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  const NormShape shape("layer_norm", x, weight, bias);
  const Tensor xs = contiguous_values(x), w = weight.defined() ? contiguous_values(weight) : weight,
               b = bias.defined() ? contiguous_values(bias) : bias;
  const Tensor y = Tensor::empty(x.shape(), x.dtype()),
               origin = Tensor::empty({shape.rows}, x.dtype()),
               offset = Tensor::empty({shape.rows}, x.dtype()),
               rstd = Tensor::empty({shape.rows}, x.dtype());
  visit_floating(x.dtype(), "layer_norm", [&]<class T> {
    const T *px = xs.data<T>(), *pw = data_or_null<T>(w), *pb = data_or_null<T>(b);
    T *out = y.write<T>(), *po = origin.write<T>(), *pm = offset.write<T>(), *ps = rstd.write<T>();
    parallel_for(shape.rows, rows_per_chunk(shape.n), [&](int64_t begin, int64_t end) {
      const int64_t n = shape.n, at = begin * n;
      kernels<NormKernels<T>>().layer_norm(end - begin, n, static_cast<T>(eps), px + at, pw, pb,
                                           out + at, po + begin, pm + begin, ps + begin);
    });
  });
  return ops::layer_norm.record(y, {x, weight, bias},
                                {{"eps", eps},
                                 {"dims", shape.dims},
                                 {"weight", int64_t{weight.defined()}},
                                 {"bias", int64_t{bias.defined()}}},
                                {origin, offset, rstd});
}

}  // namespace slope
