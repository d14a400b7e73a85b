#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/product/kept_product.h>
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/reduce.h>
#include <slope/core/product/bf16_weights.h>
#include <slope/core/product/gemm.h>

namespace slope {

namespace {

Tensor rows_of(const Tensor& x, int64_t width) {
  return x.rank() == 2 ? x : reshape(x, {width == 0 ? x.numel() : x.numel() / width, width});
}

Grads formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input(0), W = s.input(1);
  const int64_t in = W.size(1), out = W.size(0);
  Grads grads{Tensor(), Tensor(), Tensor()};
  if (s.needs(0)) grads[0] = matmul(g, W);
  if (in == 0 || out == 0) {
    if (s.needs(1)) grads[1] = zeros(W.shape(), g.dtype());
    if (s.needs(2)) grads[2] = sum_to(g, {out});
    return grads;
  }
  const Tensor g_rows = rows_of(g, out);
  if (s.needs(1)) grads[1] = matmul(transpose(g_rows, 0, 1), rows_of(x, in));
  if (s.needs(2)) grads[2] = sum(g_rows, {0});
  return grads;
}

// The same as formula(), without tensors for its views. A product is added to a sum in place only
// if that gives the same bits: results must not depend on who holds a reference to a gradient.
Grads linear_kernel(const Saved& s, const Tensor& g) {
  const Tensor W = s.input(1);
  const int64_t in = W.size(1), out = W.size(0);
  if (in == 0 || out == 0) return formula(s, g);
  const Tensor gs = contiguous_values(g);
  const int64_t rows = gs.numel() / out;
  Grads grads{Tensor(), Tensor(), Tensor()};
  visit_floating(g.dtype(), "linear", [&]<class T> {
    const auto product = [&](int input, const Dims& shape, bool transpose_g, int64_t m, int64_t k,
                             const Tensor& b) {
      const GradTarget d =
          s.target(input, shape, g.dtype(), {.may_add = adds_finished_sums<T>(m, in, k)});
      multiply<T>({gs, transpose_g}, {b}, m, in, k, d.adds ? 1 : 0, d.tensor.write<T>());
      grads[static_cast<size_t>(input)] = d.result();
    };
    if (s.needs(0)) {
      Dims of_x = gs.shape();
      of_x.back() = in;
      product(0, of_x, false, rows, out, contiguous_values(W));
    }
    if (s.needs(1)) product(1, {out, in}, true, out, rows, contiguous_values(s.kept_input(0)));
  });
  if (s.needs(2)) grads[2] = reduce_sum(rows_of(gs, out), {0}, false);
  return grads;
}

// Whether the shapes fit the signature, found without parsing it, which would take as long as a
// small product.
bool fits(const Tensor& x, const Tensor& W, const Tensor& b) {
  return x.defined() && W.defined() && x.rank() >= 1 && W.rank() == 2 &&
         x.shape().back() == W.shape()[1] &&
         (!b.defined() || (b.rank() == 1 && b.shape()[0] == W.shape()[0]));
}

// The layer with W in bf16, for inference (nn::round_weights).
Tensor by_bf16_weights(const Tensor& x, const Tensor& W, const Tensor& b) {
  SLOPE_CHECK_DTYPE(x.dtype() == f32 && (!b.defined() || b.dtype() == f32),
                    "linear: a weight in bfloat16 needs float32 input and bias, got {}{}",
                    name(x.dtype()), b.defined() ? fmt::format(" and {}", name(b.dtype())) : "");
  SLOPE_CHECK(!grad_enabled() ||
                  !(x.requires_grad() || W.requires_grad() || (b.defined() && b.requires_grad())),
              "linear: a weight in bfloat16 is for inference; use NoGrad, or convert it with "
              "to(f32)");
  const int64_t in = W.size(1), out = W.size(0);
  Dims shape = x.shape();
  shape.back() = out;
  const int64_t rows = numel(shape) / std::max<int64_t>(out, 1);
  if (rows > most_rows_by_bf16_weights) return linear(x, contiguous_copy(W, f32), b);
  const Tensor from = contiguous_values(x), weight = contiguous_values(W),
               bias = b.defined() ? contiguous_values(b) : b, y = Tensor::empty(shape, f32);
  multiply_by_bf16_weights(rows, out, in, from.data<float>(), weight.data<BFloat16>(),
                           bias.defined() ? bias.data<float>() : nullptr, y.write<float>());
  return y;
}

}  // namespace

namespace ops {

extern const Op linear{.name = "linear",
                       .signature = "(*, in), (out, in), (out)? -> (*, out)",
                       .definition = {.forward = "y = x W^T + b, over the last dimension of x",
                                      .derivative = "dx = g W,  dW = g^T x,  db = sum of g's rows"},
                       .saves = saves_input(0) | saves_input(1),
                       .rounds = saves_input(0) | saves_input(1),
                       .formula = formula,
                       .kernel = linear_kernel};

}  // namespace ops

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!fits(x, weight, bias)) ops::linear.check({x, weight, bias});  // throws
  if (weight.dtype() == bf16) return by_bf16_weights(x, weight, bias);
  const int64_t in = weight.size(1), out = weight.size(0),
                rows = x.numel() / std::max<int64_t>(in, 1);
  SLOPE_CHECK_DTYPE(x.dtype() == weight.dtype() && (!bias.defined() || bias.dtype() == x.dtype()),
                    "linear: dtypes differ: input {}, weight {}{}{}", name(x.dtype()),
                    name(weight.dtype()), bias.defined() ? ", bias " : "",
                    bias.defined() ? name(bias.dtype()) : "");
  Dims shape = x.shape();
  shape.back() = out;
  Tensor y = Tensor::empty(shape, x.dtype());
  visit_floating(x.dtype(), "linear", [&]<class T> {
    const Tensor from = x.is_contiguous() ? x : contiguous_copy(x);
    // a weight that is the transposed view of a contiguous matrix is read in place
    const bool is_transposed = weight.strides()[0] == 1 && weight.strides()[1] >= out;
    const Tensor W = is_transposed || (weight.strides()[1] == 1 && weight.strides()[0] >= in)
                         ? weight
                         : contiguous_copy(weight);
    const Tensor b = !bias.defined() || bias.is_contiguous() ? bias : contiguous_copy(bias);
    const bool transpose_w = !(is_transposed && W.is_same(weight));
    gemm<T>(false, transpose_w, in == 0 ? numel(shape) / std::max<int64_t>(out, 1) : rows, out, in,
            1, from.template data<T>(), std::max<int64_t>(in, 1), W.template data<T>(),
            W.strides()[transpose_w ? 0 : 1], 0, y.write<T>(), std::max<int64_t>(out, 1),
            {.bias = b.defined() ? b.template data<T>() : nullptr});
  });
  return ops::linear.record(y, {x, weight, bias});
}

}  // namespace slope
