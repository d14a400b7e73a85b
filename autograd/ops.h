// Every operation on tensors, one documented line each, and the registry of the differentiable
// ones. `dim` may be negative, -1 being the last; an empty list of dims means all. Elementwise
// operations broadcast as NumPy does. All work in f32 and f64 unless they say otherwise; arithmetic
// and comparisons, sums, products, extrema and all that moves elements work in i64 and bool too.
// Values and derivatives are the limits where these are finite, at infinities, zeros and denormals
// too, and where a square, power or product overflows on the way. Except, as in PyTorch: rows with
// an infinity hold nan after softmax (inf), var, std and the normalisations, and in the derivative
// of norm; differences of elements (var, std, layer_norm) must not overflow themselves; a
// derivative that overflows is inf, whatever it is multiplied with (g * 0 included).
// An operation with a derivative of its own is in autograd/ops/; composites are beside them
// (loss/losses.cpp, product/einsum.cpp, methods.cpp).
#pragma once

#include <slope/autograd/op.h>
#include <slope/core/tensor/factories.h>

#include <optional>
#include <span>
#include <string>

namespace slope {

constexpr bool keepdim = true;

// ---- arithmetic (autograd/ops/elementwise/binary.cpp); dtypes promote as bool < i64 < f32 < f64,
// a scalar takes the tensor's
[[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);  // integers give f32
// a^b; of integers an integer, 0 where b < 0 unless a is 1 or -1
[[nodiscard]] Tensor pow(const Tensor& a, const Tensor& b);
// a tie shares the gradient in halves
[[nodiscard]] Tensor maximum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor minimum(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor add(const Tensor& a, double b);
[[nodiscard]] Tensor mul(const Tensor& a, double b);
[[nodiscard]] Tensor pow(const Tensor& a, double b);  // a whole b is an integer, in the same rule
[[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
[[nodiscard]] Tensor operator-(const Tensor& a);
[[nodiscard]] inline Tensor operator+(const Tensor& a, double b) { return add(a, b); }
[[nodiscard]] inline Tensor operator+(double a, const Tensor& b) { return add(b, a); }
[[nodiscard]] inline Tensor operator-(const Tensor& a, double b) { return add(a, -b); }
[[nodiscard]] inline Tensor operator-(double a, const Tensor& b) { return add(-b, a); }
[[nodiscard]] inline Tensor operator*(const Tensor& a, double b) { return mul(a, b); }
[[nodiscard]] inline Tensor operator*(double a, const Tensor& b) { return mul(b, a); }
[[nodiscard]] Tensor operator/(const Tensor& a, double b);
[[nodiscard]] Tensor operator/(double a, const Tensor& b);

// ---- elementwise: the rows of core/kernels/elementwise/unary_rows.h, which give formula,
// derivative and domain (autograd/ops/elementwise/unary.cpp)
[[nodiscard]] Tensor neg(const Tensor& x);
[[nodiscard]] Tensor abs(const Tensor& x);   // derivative 0 at 0
[[nodiscard]] Tensor sign(const Tensor& x);  // derivative 0
[[nodiscard]] Tensor exp(const Tensor& x);
[[nodiscard]] Tensor expm1(const Tensor& x);  // e^x - 1, exact near 0
[[nodiscard]] Tensor log(const Tensor& x);
[[nodiscard]] Tensor log1p(const Tensor& x);  // log(1 + x), exact near 0
[[nodiscard]] Tensor sqrt(const Tensor& x);
[[nodiscard]] Tensor rsqrt(const Tensor& x);  // 1 / sqrt x
[[nodiscard]] Tensor sin(const Tensor& x);
[[nodiscard]] Tensor cos(const Tensor& x);
[[nodiscard]] Tensor tanh(const Tensor& x);
[[nodiscard]] Tensor sigmoid(const Tensor& x);  // 1 / (1 + e^-x)
[[nodiscard]] Tensor relu(const Tensor& x);     // max(x, 0), derivative 0 at 0
[[nodiscard]] Tensor erf(const Tensor& x);
[[nodiscard]] Tensor gelu(const Tensor& x);       // x Phi(x) (Hendrycks and Gimpel, 2016)
[[nodiscard]] Tensor gelu_tanh(const Tensor& x);  // its approximation by tanh
enum class Gelu { erf, tanh };
[[nodiscard]] Tensor gelu(const Tensor& x, Gelu form);
[[nodiscard]] Tensor silu(const Tensor& x);      // x sigmoid(x)
[[nodiscard]] Tensor softplus(const Tensor& x);  // log(1 + e^x)
// derivative 1 at the bounds
[[nodiscard]] Tensor clamp(const Tensor& x, std::optional<double> low, std::optional<double> high);
// condition: bool
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
// value where mask is true
[[nodiscard]] Tensor masked_fill(const Tensor& x, const Tensor& mask, double value);

// ---- reductions (autograd/ops/reduce/reduce.cpp, minmax.cpp, cumsum.cpp, norm.cpp); fixed chunks,
// fixed tree (prod and cumsum: one after the other): same bits for any number of threads. Without
// dims, over all.
[[nodiscard]] Tensor sum(const Tensor& x, const Dims& dims = {}, bool keep = false);
// nan where there is nothing to average
[[nodiscard]] Tensor mean(const Tensor& x, const Dims& dims = {}, bool keep = false);
[[nodiscard]] Tensor prod(const Tensor& x);
[[nodiscard]] Tensor prod(const Tensor& x, int64_t dim, bool keep = false);
// Of equal elements exactly 0. A large mean m costs what x lost when it was rounded: about
// |m| / std roundings, relative to the result.
[[nodiscard]] Tensor var(const Tensor& x, const Dims& dims = {}, double correction = 1,
                         bool keep = false);
[[nodiscard]] Tensor std(const Tensor& x, const Dims& dims = {}, double correction = 1,
                         bool keep = false);  // slope::std(x) where both namespaces are open
// ties share the gradient evenly
[[nodiscard]] Tensor amax(const Tensor& x, const Dims& dims = {}, bool keep = false);
[[nodiscard]] Tensor amin(const Tensor& x, const Dims& dims = {}, bool keep = false);
struct ValuesAndIndices {
  Tensor values, indices;
};
// the first of equal ones
[[nodiscard]] ValuesAndIndices max(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] ValuesAndIndices min(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] Tensor max(const Tensor& x);
[[nodiscard]] Tensor min(const Tensor& x);
[[nodiscard]] Tensor logsumexp(const Tensor& x, const Dims& dims, bool keep = false);
[[nodiscard]] Tensor cumsum(const Tensor& x, int64_t dim);
[[nodiscard]] Tensor norm(const Tensor& x, double p = 2, const Dims& dims = {},
                          bool keep = false);  // p = 1, 2, inf, or any p > 0; derivative 0 at 0
// sums over what broadcasting repeated
[[nodiscard]] Tensor sum_to(const Tensor& x, const Dims& shape);

// ---- matrix products (autograd/ops/product/matmul.cpp, linear.cpp, einsum.cpp)
[[nodiscard]] Tensor matmul(const Tensor& a, const Tensor& b);  // all ranks of torch.matmul
[[nodiscard]] Tensor bmm(const Tensor& a, const Tensor& b);     // (B, n, k) @ (B, k, m)
// x W^T + b: (*, in), (out, in), (out) -> (*, out)
[[nodiscard]] Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
// "bqd,bkd->bqk"; also "..." and implicit output
[[nodiscard]] Tensor einsum(const std::string& equation, const Tensors& operands);

// ---- shapes (autograd/ops/shape/): views share storage (views.cpp, slices.cpp, split.cpp), the
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
// the last may be smaller
[[nodiscard]] Tensors split(const Tensor& x, int64_t size, int64_t dim = 0);
[[nodiscard]] Tensors split(const Tensor& x, const Dims& sizes, int64_t dim = 0);
[[nodiscard]] Tensors chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
[[nodiscard]] Tensors unbind(const Tensor& x, int64_t dim = 0);
// torch's order: last dim first, (before, after) pairs
[[nodiscard]] Tensor pad(const Tensor& x, const Dims& widths, double value = 0);
[[nodiscard]] Tensor tril(const Tensor& x, int64_t diagonal = 0);
[[nodiscard]] Tensor triu(const Tensor& x, int64_t diagonal = 0);
[[nodiscard]] Tensor flip(const Tensor& x, const Dims& dims);
[[nodiscard]] Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims);
[[nodiscard]] Tensor repeat(const Tensor& x, const Dims& times);
[[nodiscard]] Tensor repeat_interleave(const Tensor& x, int64_t times, int64_t dim);

// ---- picking by index (autograd/ops/shape/); indices are i64, out of range is an IndexError
// before anything is written x (…, n, …), index (m) -> (…, m, …)
[[nodiscard]] Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);
// y = x at the index along dim, in the index's shape: the rank of x, and nowhere but
// in dim larger than x
[[nodiscard]] Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
// x, plus the source's elements where the index along dim says; the source has the index's shape,
// or is larger
[[nodiscard]] Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index,
                                 const Tensor& source);
// (*), (V, d) -> (*, d). Row padding_idx gets no gradient; -1: there is none (it does not count
// from the end).
[[nodiscard]] Tensor embedding(const Tensor& index, const Tensor& weight, int64_t padding_idx = -1);

// ---- normalisation and random (softmax.cpp, layer_norm.cpp, rms_norm.cpp, dropout.cpp)
[[nodiscard]] Tensor softmax(const Tensor& x,
                             int64_t dim = -1);  // a row of -inf gives nan, as in PyTorch
[[nodiscard]] Tensor log_softmax(const Tensor& x, int64_t dim = -1);
// Over the last dims, those of the weight, or of the bias; both may be undefined:
// then over the last one.
[[nodiscard]] Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                double eps = 1e-5);
// the same without a bias
[[nodiscard]] Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps = 1e-5);
// zero with probability p, else x / (1 - p)
[[nodiscard]] Tensor dropout(const Tensor& x, double p, bool train = true);

// ---- losses (cross_entropy.cpp, linear_cross_entropy.cpp; composites). Class scores are
// (N, C) with targets (N), or (C) with one; the result is a scalar, with Reduction::none
// of the targets' shape.
enum class Reduction { none, mean, sum };
struct CrossEntropyOptions {
  int64_t ignore_index = -100;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};
[[nodiscard]] Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                                   CrossEntropyOptions options = {});
struct LossAndCount {
  Tensor sum;         // scalar: summed over the targets that count
  int64_t count = 0;  // how many those are
};
[[nodiscard]] LossAndCount cross_entropy_sum(
    const Tensor& logits, const Tensor& target,
    CrossEntropyOptions options = {});  // whatever the reduction says
// Cross entropy of linear(x, weight, bias), in chunks of rows: the logits never exist whole. (N,
// d), (V, d), (V) or undefined, (N)
[[nodiscard]] Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                          const Tensor& target, CrossEntropyOptions options = {});
[[nodiscard]] Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                              CrossEntropyOptions options = {});
// Of two tensors of one shape:
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
  // Sequences that stand one after the other along L and S, the same for all leading indices: each
  // sees its own keys only, and is causal in itself. Both i64 (number of sequences), adding up to L
  // and S; undefined: one sequence. Without padding, many lengths (torch's varlen_attn); the mask
  // is still of (*, L, S).
  Tensor query_lengths = {}, key_lengths = {};
};
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                                  const AttentionOptions& options = {});
// The sum of lengths of sequences. DTypeError or ShapeError (not of rank 1, a negative one, too
// many for an int64) that begins with `what`.
int64_t packed_rows(std::string_view what, const Tensor& lengths);
struct AttentionOutput {
  // weights (*, L, S) before dropout; a row with nothing to attend to is zero
  Tensor output, weights;
};
[[nodiscard]] AttentionOutput scaled_dot_product_attention_with_weights(
    const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {});

// ---- comparisons, logic, order: no derivative (autograd/ops/elementwise/compare.cpp,
// reduce/sort.cpp)
[[nodiscard]] Tensor operator==(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator!=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator<(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator<=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator>(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator>=(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor operator==(const Tensor& a, double b);
[[nodiscard]] Tensor operator!=(const Tensor& a, double b);
[[nodiscard]] Tensor operator<(const Tensor& a, double b);
[[nodiscard]] Tensor operator<=(const Tensor& a, double b);
[[nodiscard]] Tensor operator>(const Tensor& a, double b);
[[nodiscard]] Tensor operator>=(const Tensor& a, double b);
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
// the position of the first of equal ones; without a dim, among all elements in row-major order
[[nodiscard]] Tensor argmax(const Tensor& x);
[[nodiscard]] Tensor argmin(const Tensor& x);
[[nodiscard]] Tensor argmax(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] Tensor argmin(const Tensor& x, int64_t dim, bool keep = false);
[[nodiscard]] ValuesAndIndices topk(const Tensor& x, int64_t k, int64_t dim = -1,
                                    bool largest = true);  // sorted; equal ones in order of index
// stable
[[nodiscard]] ValuesAndIndices sort(const Tensor& x, int64_t dim = -1, bool descending = false);

// ---- the registry: every operation of autograd/ops/list.h. Tests and the command walk it.
std::span<const Op* const> registry();
const Op* find_op(const std::string& name);  // null where there is none

}  // namespace slope
