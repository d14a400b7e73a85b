// Every operation on tensors, and the registry of the differentiable ones. `dim` may be negative
// (-1 is the last); an empty list of dims means all. Elementwise operations broadcast as in NumPy.
// All work in f32 and f64 unless they say otherwise. Arithmetic, comparisons, sum, prod,
// cumsum, extrema and whatever moves elements also work in i64 and bool; matrix products do not.
// Where the limit of a value or derivative is finite, that limit is the result: at infinities,
// zeros and denormals, and where a square, power or product overflows on the way. The exceptions
// are PyTorch's: rows with an infinity give nan in softmax (only inf, not -inf), var, std, the
// normalisations and the derivative of norm; differences of elements (var, std, layer_norm, logits
// whose labels are smoothed), attention's scores, a norm whose derivative is wanted and, where
// eps = 0, 1 / rms (rows of denormals) must not overflow; a dy/dx that overflows is inf before g
// multiplies it: even g = 0 then gives nan. In derivatives of higher order that is true of
// each factor on the way. Elementwise derivatives keep their digits in the tails, except those of
// tanh and sigmoid: they are computed from y, which backward keeps instead of x, and have y's
// absolute error. A derivative below the dtype's smallest normal number (1e-38 in f32) may be 0,
// and so may a value or derivative of which a factor is: silu below -88.7, gelu_tanh below -10.1
// and gelu's derivative below -13.2 in f32 (PyTorch gives 0 there too). A derivative that divides
// by such a value (that of std) has the value's relative error. Operations with their own
// derivative are in autograd/ops/, and composites beside them (loss/losses.cpp, product/einsum.cpp,
// methods.cpp).
#pragma once

#include <slope/autograd/op.h>
#include <slope/core/tensor/factories.h>

#include <optional>
#include <span>
#include <string>

namespace slope {

constexpr bool keepdim = true;

// ---- arithmetic (autograd/ops/elementwise/binary.cpp, pow.cpp). Dtypes promote as
// bool < i64 < f32 < f64; a number takes the tensor's dtype, but a double that is a fraction, not
// finite, or at least 2^53 turns integers into f32. Beside integers, an integer is exact
// (core/tensor/scalar.h).
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);  // integers give f32
// a^b; integers give integers: 0 where b < 0, unless a is 1 or -1
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
// where a = b, each gets half the gradient
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor add(const Tensor& a, Scalar b);
[[nodiscard]] Tensor sub(const Tensor& a, Scalar b);
[[nodiscard]] Tensor mul(const Tensor& a, Scalar b);
[[nodiscard]] Tensor div(const Tensor& a, Scalar b);
[[nodiscard]] Tensor pow(const Tensor& a, Scalar b);  // for integers a, a whole b is an integer too
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] Tensor operator-(const Tensor& a);
[[nodiscard]] inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
[[nodiscard]] inline Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator-(Scalar a, const Tensor& b) { return add(-b, a); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator*(Scalar a, const Tensor& b) { return mul(b, a); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
[[nodiscard]] Tensor operator/(Scalar a, const Tensor& b);

// ---- elementwise (autograd/ops/elementwise/unary.cpp); formulas, derivatives and domains are in
// core/kernels/elementwise/unary_rows.h
[[nodiscard]] Tensor neg(const Tensor& x);
[[nodiscard]] Tensor abs(const Tensor& x);   // derivative 0 at 0
[[nodiscard]] Tensor sign(const Tensor& x);  // derivative 0
[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor expm1(const Tensor& x);  // e^x - 1, accurate near 0
[[nodiscard]] Tensor log(const Tensor& x);
[[nodiscard]] Tensor log1p(const Tensor& x);  // log(1 + x), accurate near 0
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor rsqrt(const Tensor& x);  // 1 / sqrt x
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
[[nodiscard]] Tensor sigmoid(const Tensor& x);  // 1 / (1 + e^-x)
[[nodiscard]] Tensor relu(const Tensor& x);     // max(x, 0), derivative 0 at 0
[[nodiscard]] Tensor erf(const Tensor& x);
[[nodiscard]] Tensor gelu(const Tensor& x);       // x Phi(x) (Hendrycks and Gimpel, 2016)
[[nodiscard]] Tensor gelu_tanh(const Tensor& x);  // the tanh approximation
enum class Gelu { erf, tanh };
[[nodiscard]] Tensor gelu(const Tensor& x, Gelu form);
[[nodiscard]] Tensor silu(const Tensor& x);      // x sigmoid(x)
[[nodiscard]] Tensor softplus(const Tensor& x);  // log(1 + e^x)
// derivative 1 at the bounds
[[nodiscard]] Tensor clamp(const Tensor& x, std::optional<Scalar> low, std::optional<Scalar> high);
// condition: bool
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
// value where mask is true
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);

// ---- reductions (autograd/ops/reduce/reduce.cpp, minmax.cpp, cumsum.cpp, norm.cpp). The order of
// additions is fixed (chunks and a tree; sequential in prod and cumsum), so any number of threads
// gives the same bits. Without dims: over all elements.
[[nodiscard]] Tensor sum(const Tensor& x, const Dims& dims = {}, bool keep = false);
// nan if there are no elements
[[nodiscard]] Tensor mean(const Tensor& x, const Dims& dims = {}, bool keep = false);
[[nodiscard]] Tensor prod(const Tensor& x);
[[nodiscard]] Tensor prod(const Tensor& x, int64_t dim, bool keep = false);
// Equal elements give exactly 0. If the mean m is large, the rounding of x itself causes a relative
// error of about eps |m| / std, with the eps of x's dtype.
[[nodiscard]] Tensor var(const Tensor& x, const Dims& dims = {}, double correction = 1,
                         bool keep = false);
[[nodiscard]] Tensor std(const Tensor& x, const Dims& dims = {}, double correction = 1,
                         bool keep = false);  // under `using namespace slope`: slope::std(x)
// ties share the gradient evenly
[[nodiscard]] Tensor amax(const Tensor& x, const Dims& dims = {}, bool keep = false);
[[nodiscard]] Tensor amin(const Tensor& x, const Dims& dims = {}, bool keep = false);
struct ValuesAndIndices {
  Tensor values, indices;
};
// index of the first among equals
[[nodiscard]] ValuesAndIndices max(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] ValuesAndIndices min(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] Tensor max(const Tensor& x);
[[nodiscard]] Tensor min(const Tensor& x);
[[nodiscard]] Tensor logsumexp(const Tensor& x, const Dims& dims, bool keep = false);
[[nodiscard]] Tensor cumsum(const Tensor& x, int64_t dim);
[[nodiscard]] Tensor norm(const Tensor& x, double p = 2, const Dims& dims = {},
                          bool keep = false);  // p = 1, 2, inf, or any p > 0; derivative 0 at 0
// sums over broadcast dims: the adjoint of expand
[[nodiscard]] Tensor sum_to(const Tensor& x, const Dims& shape);

// ---- matrix products (autograd/ops/product/matmul.cpp, linear.cpp, einsum.cpp)
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);  // all ranks of torch.matmul
[[nodiscard]] Tensor bmm(const Tensor& a, const Tensor& b);     // (B, n, k) @ (B, k, m)
// x W^T + b: (*, in), (out, in), (out) -> (*, out)
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
// "bqd,bkd->bqk"; also "..." and implicit output
[[nodiscard]] Tensor einsum(const std::string& equation, const Tensors& operands);

// ---- shapes (autograd/ops/shape/). Views share storage (views.cpp, slices.cpp, split.cpp); the
// others copy
[[nodiscard]] Tensor reshape(const Tensor& x, const Dims& shape);  // a view where strides allow
[[nodiscard]] Tensor transpose(const Tensor& x, int64_t a, int64_t b);
[[nodiscard]] Tensor permute(const Tensor& x, const Dims& dims);
[[nodiscard]] Tensor expand(const Tensor& x, const Dims& shape);
[[nodiscard]] Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
[[nodiscard]] Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end,
                           int64_t step = 1);
[[nodiscard]] Tensor select(const Tensor& x, int64_t dim, int64_t index);
[[nodiscard]] Tensor diagonal(const Tensor& x, int64_t a = 0, int64_t b = 1);
[[nodiscard]] Tensor squeeze(const Tensor& x, int64_t dim);
[[nodiscard]] Tensor unsqueeze(const Tensor& x, int64_t dim);
[[nodiscard]] Tensor contiguous(const Tensor& x);
[[nodiscard]] Tensor clone(const Tensor& x);
[[nodiscard]] Tensor to(const Tensor& x, DType dtype);
[[nodiscard]] Tensor cat(const Tensors& xs, int64_t dim = 0);
[[nodiscard]] Tensor stack(const Tensors& xs, int64_t dim = 0);
// the last part may be smaller
[[nodiscard]] Tensors split(const Tensor& x, int64_t size, int64_t dim = 0);
[[nodiscard]] Tensors split(const Tensor& x, const Dims& sizes, int64_t dim = 0);
[[nodiscard]] Tensors chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
[[nodiscard]] Tensors unbind(const Tensor& x, int64_t dim = 0);
// torch's order: last dim first, (before, after) pairs
[[nodiscard]] Tensor pad(const Tensor& x, const Dims& widths, Scalar value = 0);
[[nodiscard]] Tensor tril(const Tensor& x, int64_t diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor& x, int64_t diagonal = 0);
[[nodiscard]] Tensor flip(const Tensor& x, const Dims& dims);
[[nodiscard]] Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims);
[[nodiscard]] Tensor repeat(const Tensor& x, const Dims& times);
[[nodiscard]] Tensor repeat_interleave(const Tensor& x, int64_t times, int64_t dim);

// ---- indexing (autograd/ops/shape/). Indices are i64; one that is out of range throws an
// IndexError before anything is written.
// x (…, n, …), index (m) -> (…, m, …)
[[nodiscard]] Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
// y_ijk = x_{i index_ijk k} for dim 1. y has the shape of index, which has the rank of x and may
// exceed x only in dim
[[nodiscard]] Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
// y = x, then y_{i index_ijk k} += source_ijk for dim 1. The source is at least as large as the
// index in every dim
[[nodiscard]] Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index,
                                 const Tensor& source);
// (*), (V, d) -> (*, d). Row padding_idx gets no gradient; -1 means that there is no such row
// (in PyTorch: the last row).
[[nodiscard]] Tensor embedding(const Tensor& index, const Tensor& weight, int64_t padding_idx = -1);

// ---- normalisation and random (softmax.cpp, layer_norm.cpp, rms_norm.cpp, dropout.cpp)
[[nodiscard]] Tensor softmax(const Tensor& x,
                             int64_t dim = -1);  // a row of -inf gives nan, as in PyTorch
[[nodiscard]] Tensor log_softmax(const Tensor& x, int64_t dim = -1);
// Over the last dims: as many as the weight (or the bias) has. Both may be undefined:
// then over the last dim.
[[nodiscard]] Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                double eps = 1e-5);
// x / sqrt(mean(x^2) + eps) * weight, over the same dims
[[nodiscard]] Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps = 1e-5);
// zero with probability p, else x / (1 - p)
[[nodiscard]] Tensor dropout(const Tensor& x, double p, bool train = true);

// ---- losses (cross_entropy.cpp, linear_cross_entropy.cpp; composites). Logits are (N, C) with
// targets (N), or (C) with a scalar target. The result is a scalar; with Reduction::none it
// has the targets' shape.
enum class Reduction { none, mean, sum };
struct CrossEntropyOptions {
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                                   CrossEntropyOptions options = {});
struct LossAndCount {
  Tensor sum;         // scalar: over all targets that are not ignored
  int64_t count = 0;  // number of those targets
};
[[nodiscard]] LossAndCount cross_entropy_sum(
    const Tensor& logits, const Tensor& target,
    CrossEntropyOptions options = {});  // ignores options.reduction
// Cross entropy of linear(x, weight, bias) in chunks of rows, without storing all logits.
// (N, d), (V, d), (V) or undefined, (N)
[[nodiscard]] Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                          const Tensor& target, CrossEntropyOptions options = {});
[[nodiscard]] Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                              CrossEntropyOptions options = {});
// x and target have the same shape
[[nodiscard]] Tensor mse_loss(const Tensor& x, const Tensor& target,
                              Reduction reduction = Reduction::mean);
[[nodiscard]] Tensor bce_with_logits(const Tensor& x, const Tensor& target,
                                     Reduction reduction = Reduction::mean);
[[nodiscard]] Tensor kl_div(const Tensor& log_q, const Tensor& p,
                            Reduction reduction = Reduction::mean);  // p (log p - log_q)

// ---- attention (attention.cpp): softmax(q k^T scale + mask) v; (*, L, D), (*, S, D),
// (*, S, E) -> (*, L, E)
struct AttentionOptions {
  Tensor mask = {};                  // bool, true = may attend; broadcasts to (*, L, S)
  bool causal = false;               // position i sees positions up to i + S - L
  double dropout = 0;                // on the weights
  std::optional<double> scale = {};  // default 1 / sqrt(D)
  // Sequences of different lengths, packed along L and S without padding (torch's varlen_attn).
  // Each attends only to its own keys; `causal` applies within each. Both are i64 of shape (number
  // of sequences), add up to L and S, and hold for all leading indices; undefined: one sequence.
  // The mask is still (*, L, S).
  Tensor query_lengths = {}, key_lengths = {};
};
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const AttentionOptions& options = {});
// The sum of `lengths`. Throws DTypeError, or ShapeError (rank not 1, a negative length, a sum
// beyond int64); the message begins with `what`.
int64_t packed_rows(std::string_view what, const Tensor& lengths);
struct AttentionOutput {
  // weights: (*, L, S), before dropout; a row that may attend to nothing is zero
  Tensor output, weights;
};
[[nodiscard]] AttentionOutput scaled_dot_product_attention_with_weights(
    const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {});

// ---- comparisons, logic, order: no derivative (autograd/ops/elementwise/compare.cpp,
// reduce/minmax.cpp, sort.cpp)
[[nodiscard]] Tensor operator==(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator!=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator<(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator<=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator>(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator>=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator==(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator!=(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator<(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator<=(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator>(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator>=(const Tensor& a, Scalar b);
[[nodiscard]] Tensor operator!(const Tensor& a);
[[nodiscard]] Tensor logical_and(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_or(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor logical_xor(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor isfinite(const Tensor& x);
[[nodiscard]] Tensor isinf(const Tensor& x);
[[nodiscard]] Tensor isnan(const Tensor& x);
[[nodiscard]] bool any(const Tensor& x);
[[nodiscard]] bool all(const Tensor& x);
[[nodiscard]] bool equal(const Tensor& a, const Tensor& b);  // same shape, dtype and values
[[nodiscard]] bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5,
                            double atol = 1e-8, bool equal_nan = false);
// index of the first among equals; without a dim, over all elements in row-major order
[[nodiscard]] Tensor argmax(const Tensor& x);
[[nodiscard]] Tensor argmin(const Tensor& x);
[[nodiscard]] Tensor argmax(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] Tensor argmin(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t dim = -1,
                                    bool largest = true);  // sorted; equal values in order of index
// stable
[[nodiscard]] ValuesAndIndices sort(const Tensor& x, int64_t dim = -1, bool descending = false);

// ---- the registry: every operation of autograd/ops/list.h, for tests and the command line.
std::span<const Op* const> registry();
const Op* find_op(const std::string& name);  // null if unknown

}  // namespace slope
