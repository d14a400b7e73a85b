// Cross entropy of z = x W^T + b without storing z: each chunk of its rows is computed, replaced in
// place by its gradient (dz as in cross_entropy.cpp), and discarded.
// With one g for all rows (mean, sum), the three gradients are computed with the loss, for g = 1,
// and saved instead of z; backward scales them. With a g for each row (none), or a g that is not
// finite (times it, the 0 of an ignored row would be nan), backward recomputes z. Rows with an
// ignored target are left out of the products. Under Autocast(bf16) W and dz, each read by two
// products, are rounded only once, dz while it is in the cache.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/loss/targets.h>
#include <slope/autograd/ops/product/kept_product.h>
#include <slope/autograd/ops/shape/view_of.h>
#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/elementwise/elementwise.h>
#include <slope/core/kernels/elementwise/optim.h>
#include <slope/core/kernels/loss/cross_entropy.h>
#include <slope/core/kernels/reduce/reduce.h>
#include <slope/core/loops/copy.h>
#include <slope/core/product/autocast.h>

#include <cmath>

namespace slope {

namespace {

struct Wanted {
  bool x, weight, bias;
};

struct Chunked {
  Tensor losses, dx, dweight, dbias;
};

// The losses (N) and, if wanted, the gradients of <g, losses>; g_r is g[r * g_step].
template <class T>
Chunked losses_and_gradients(const Tensor& x, const Tensor& weight, const Tensor& bias,
                             const Tensor& target, const CrossEntropyOptions& options,
                             Wanted wanted, const T* g, int64_t g_step) {
  const int64_t N = x.size(0), d = x.size(1), V = weight.size(0);
  const Tensor xs = contiguous_values(x), w = contiguous_values(weight),
               b = bias.defined() ? contiguous_values(bias) : bias;
  std::vector<int64_t> counted;
  const int64_t* t = target.data<int64_t>();
  for (int64_t i = 0; i < N; ++i)
    if (t[i] != options.ignore_index) counted.push_back(i);
  const auto M = static_cast<int64_t>(counted.size());
  const bool in_place = M == N;  // no row is left out: x and dx are used without copies
  const auto empty_dx = [&] {
    return in_place ? Tensor::empty({N, d}, x.dtype()) : zeros({N, d}, x.dtype());
  };
  Chunked y{zeros({N}, x.dtype()),
            wanted.x ? empty_dx() : Tensor(),
            {},
            wanted.bias ? zeros({V}, x.dtype()) : Tensor()};
  if (wanted.weight)
    y.dweight = M == 0 ? zeros({V, d}, x.dtype())
                       : Tensor::empty({V, d}, x.dtype());  // the first chunk writes it
  if (M == 0) return y;

  constexpr int64_t width = 1024;  // columns of z that are summed at once
  // Rows of a chunk: 4 MB of z in f32, but at least 256 rows, to make packing W worthwhile.
  const int64_t R = std::min(M, std::max<int64_t>(256, (int64_t{1} << 20) / V / 64 * 64));
  const Tensor z = Tensor::empty({R, V}, x.dtype()),
               rows = Tensor::empty({in_place ? 0 : R, d}, x.dtype()),
               values = Tensor::empty({2, R}, x.dtype()), classes = Tensor::empty({R}, i64);
  const bool rounds = std::is_same_v<T, float> && autocast_dtype() == bf16,
             rounds_dz = rounds && (wanted.x || wanted.weight);
  const Tensor W = rounds ? contiguous_copy(w, bf16) : w,
               dz = rounds_dz ? Tensor::empty({R, V}, bf16) : z;
  const T *px = xs.data<T>(), *pb = b.defined() ? b.data<T>() : nullptr;
  T *pz = z.write<T>(), *pr = rows.write<T>(), *loss = values.write<T>(), *gs = loss + R,
    *out = y.losses.write<T>();
  T *dx = wanted.x ? static_cast<T*>(y.dx.write<T>()) : nullptr,
    *dw = wanted.weight ? static_cast<T*>(y.dweight.write<T>()) : nullptr,
    *db = wanted.bias ? static_cast<T*>(y.dbias.write<T>()) : nullptr;
  int64_t* pt = classes.write<int64_t>();
  uint16_t* pdz = rounds_dz ? bits_of(static_cast<BFloat16*>(dz.write<BFloat16>())) : nullptr;
  for (int64_t first = 0; first < M; first += R) {
    const int64_t m = std::min(R, M - first);
    const int64_t* at = counted.data() + first;
    for (int64_t r = 0; r < m; ++r) {
      if (!in_place) std::copy_n(px + at[r] * d, d, pr + r * d);
      pt[r] = t[at[r]];
      gs[r] = g[at[r] * g_step];
    }
    const Tensor xr = in_place ? view_of(xs, xs.layout().narrow(0, first, m)) : rows;
    multiply<T>({xr}, {W, true}, m, V, d, 0, pz);
    parallel_for(m, rows_per_chunk(V), [&](int64_t begin, int64_t end) {
      kernels<CrossEntropyKernels<T>>().fused(
          end - begin, V, pz + begin * V, pb,
          {pt + begin, options.ignore_index, options.label_smoothing}, gs + begin, 1, loss + begin);
      if constexpr (std::is_same_v<T, float>)
        if (rounds_dz)
          kernels<Bf16Copy>().round((end - begin) * V, pz + begin * V, pdz + begin * V);
    });
    for (int64_t r = 0; r < m; ++r) out[at[r]] = loss[r];
    if (dw) multiply<T>({dz, true}, {xr}, V, d, m, T(first > 0), dw);
    if (db)
      parallel_for(V, width,
                   [&, add = kernels<Accumulate<T>>().add, sum = kernels<Reduce<T>>().sum](
                       int64_t begin, int64_t end) {
                     constexpr int64_t piece = 1024;  // a longer sum of f32 would drift
                     T sums[width];
                     double total[width] = {};
                     for (int64_t r = 0; r < m; r += piece) {
                       sum.columns(std::min(piece, m - r), V, pz + r * V + begin, end - begin,
                                   sums);
                       for (int64_t j = 0; j < end - begin; ++j)
                         total[j] += static_cast<double>(sums[j]);
                     }
                     for (int64_t j = 0; j < end - begin; ++j) sums[j] = static_cast<T>(total[j]);
                     add(end - begin, sums, 1, db + begin, 1);
                   });
    if (dx) {
      T* dxr = in_place ? dx + first * d : pr;
      multiply<T>({dz}, {W}, m, d, V, 0, dxr);
      for (int64_t r = 0; !in_place && r < m; ++r) std::copy_n(pr + r * d, d, dx + at[r] * d);
    }
  }
  return y;
}

Tensors linear_cross_entropy_reference(const Saved& s) {
  const CrossEntropyOptions options = options_of(s);
  const Tensor target = s.input(3), x = without_ignored(s.input(0), target, options),
               z = linear(x, s.input(1), s.integer("bias") ? s.input(2) : Tensor());
  return {loss_of_log_probabilities(log_softmax(without_ignored(z, target, options), -1), target,
                                    s.integer("count"), options)};
}

// y = scale x; in place if y is x
void scale_into(const Tensor& x, double scale, const Tensor& y) {
  if (!y.is_same(x)) copy_into(x, y);
  visit_floating(x.dtype(), "linear_cross_entropy", [&]<class T> {
    const auto out = y.write<T>();
    T* const p = out;
    parallel_for(y.numel(), 1 << 15, [&](int64_t begin, int64_t end) {
      kernels<OptimKernels<T>>().scale(end - begin, p + begin, static_cast<T>(scale));
    });
  });
}

Grads linear_cross_entropy_kernel(const Saved& s, const Tensor& g) {
  const CrossEntropyOptions options = options_of(s);
  const bool by_row = options.reduction == Reduction::none;
  if (by_row || !std::isfinite(g.item())) {
    const Tensor x = s.input(0), gs = contiguous_values(g);  // inf / count is inf
    Chunked y;
    visit_floating(x.dtype(), "linear_cross_entropy", [&]<class T> {
      y = losses_and_gradients<T>(x, s.input(1), s.integer("bias") ? s.input(2) : Tensor(),
                                  s.input(3), options, {s.needs(0), s.needs(1), s.needs(2)},
                                  gs.data<T>(), by_row ? 1 : 0);
    });
    return Grads{y.dx, y.dweight, y.dbias, Tensor()};
  }
  const double scale = g.item();
  const auto scaled = [&](int i) {
    if (!s.needs(i)) return Tensor();
    const Tensor made = s.extra(i);
    if (scale == 1) return made;
    const Tensor d =
        s.target(i, made.shape(), made.dtype(), {.may_add = false, .over = &made}).tensor;
    scale_into(made, scale, d);
    return d;
  };
  return Grads{scaled(0), scaled(1), scaled(2), Tensor()};
}

}  // namespace

namespace ops {
extern const Op linear_cross_entropy{
    .name = "linear_cross_entropy",
    .signature = "(N, d), (V, d), (V)?, (N) -> (*)",
    .definition = {.forward = "y = cross_entropy(z, target),  z = x W^T + b",
                   .derivative = "dz = g (softmax z - onehot target),  dx = dz W,  dW = dz^T x,  "
                                 "db = sum over rows of dz"},
    .saves = saves_inputs,
    .kernel = linear_cross_entropy_kernel,
    .reference = linear_cross_entropy_reference};
}

Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            const Tensor& target, CrossEntropyOptions options) {
  const char* op = "linear_cross_entropy";
  if (weight.dtype() == bf16 && !grad_enabled())  // nn::round_weights
    return linear_cross_entropy(x, weight.to(f32), bias, target, options);
  check_smoothing(op, options.label_smoothing);
  SLOPE_CHECK_SHAPE(x.rank() == 2 && weight.rank() == 2 && x.size(1) == weight.size(1) &&
                        (!bias.defined() || bias.shape() == Dims{weight.size(0)}),
                    "{}: needs x (N, d), weight (V, d), bias (V) or none; got {}, {}, {}", op,
                    x.shape(), weight.shape(), bias.defined() ? to_string(bias.shape()) : "none");
  SLOPE_CHECK_DTYPE(weight.dtype() == x.dtype() && (!bias.defined() || bias.dtype() == x.dtype()),
                    "{}: dtypes differ: x {}, weight {}, bias {}; convert with to()", op,
                    name(x.dtype()), name(weight.dtype()),
                    bias.defined() ? name(bias.dtype()) : "none");
  const auto checked = check_targets(op, {x.size(0), weight.size(0)}, target, options.ignore_index);
  const Tensor& t = checked.first;
  const int64_t count = checked.second;
  const bool shared = options.reduction != Reduction::none && grad_enabled();
  const Wanted wanted{shared && x.requires_grad(), shared && weight.requires_grad(),
                      shared && bias.defined() && bias.requires_grad()};
  Chunked made;
  Tensor y;
  visit_floating(x.dtype(), op, [&]<class T> {
    const T g = options.reduction == Reduction::mean ? T(1) / static_cast<T>(count) : T(1);
    made = losses_and_gradients<T>(x, weight, bias, t, options, wanted, &g, 0);
    y = reduce_losses<T>(made.losses, options.reduction, count);
  });
  return ops::linear_cross_entropy.record(y, {x, weight, bias, t},
                                          to_attributes(options, count, bias.defined()),
                                          {made.dx, made.dweight, made.dbias});
}

}  // namespace slope
