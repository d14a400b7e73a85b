#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/functional/layers.h>

#include <cmath>
#include <set>

namespace slope::nn {

void detail::check_dtype(const char* op, const char* what, const Tensor& p, const Tensor& x) {
  SLOPE_CHECK_DTYPE(p.dtype() == x.dtype(),
                    "{}: dtypes differ: {} {}, other operands {}; convert with to()", op, what,
                    name(p.dtype()), name(x.dtype()));
}

void detail::check_vector(const char* op, const char* what, const Tensor& p, int64_t n,
                          const Tensor& x) {
  if (!p.defined()) return;
  SLOPE_CHECK_SHAPE(p.shape() == Dims{n}, "{}: {} must have shape {}, got {}", op, what, Dims{n},
                    p.shape());
  check_dtype(op, what, p, x);
}

void detail::check_classes(const char* op, const Tensor& classes, int64_t low, int64_t end,
                           std::optional<int64_t> ignored) {
  SLOPE_CHECK_DTYPE(classes.dtype() == i64, "{}: classes must be int64, got {}", op,
                    name(classes.dtype()));
  const Tensor row = contiguous_copy(classes.detach());
  const int64_t* c = row.data<int64_t>();
  for (int64_t i = 0; i < row.numel(); ++i)
    SLOPE_CHECK_INDEX((c[i] >= low && c[i] < end) || c[i] == ignored,
                      "{}: class {} at position {} is outside [{}, {})", op, c[i], i, low, end);
}

Tensor detail::one_or_nan(const Tensor& x) {
  const Tensor v = x.detach();
  return masked_fill(full_like(v, 1), isnan(v), NAN);
}

void detail::check_broadcast(const char* op, std::initializer_list<Dims> shapes) {
  for (const Dims& a : shapes)
    for (const Dims& b : shapes) (void)broadcast_shapes(a, b, op);
}

namespace {

// whether all dims but the last broadcast
bool rows_broadcast(const Tensor& a, const Tensor& b) {
  for (int64_t d = 2; d <= std::min(a.rank(), b.rank()); ++d)
    if (a.size(-d) != b.size(-d) && a.size(-d) != 1 && b.size(-d) != 1) return false;
  return true;
}

}  // namespace

Tensor bilinear(const Tensor& a, const Tensor& b, const Tensor& weight, const Tensor& bias) {
  SLOPE_CHECK_SHAPE(weight.rank() == 3 && a.rank() > 0 && b.rank() > 0 &&
                        a.size(-1) == weight.size(1) && b.size(-1) == weight.size(2) &&
                        rows_broadcast(a, b),
                    "bilinear: needs (*, in1), (*, in2), (out, in1, in2); got {}, {}, {}",
                    a.shape(), b.shape(), weight.shape());
  detail::check_vector("bilinear", "bias", bias, weight.size(0), a);
  const Tensor y = einsum("...i,oij,...j->...o", {a, weight, b});
  return bias.defined() ? y + bias : y;
}

Tensor group_norm(const Tensor& x, int64_t groups, const Tensor& weight, const Tensor& bias,
                  double eps) {
  SLOPE_CHECK_SHAPE(x.rank() >= 2 && groups > 0 && x.size(1) % groups == 0,
                    "group_norm: x (N, C, *) {} does not fall into {} groups of channels",
                    x.shape(), groups);
  const int64_t N = x.size(0), C = x.size(1), n = N * groups;
  Dims channels(static_cast<size_t>(x.rank()), 1);
  channels[1] = C;
  Tensor y = layer_norm(x.reshape({n, n == 0 ? 0 : x.numel() / n}), {}, {}, eps).reshape(x.shape());
  detail::check_vector("group_norm", "weight", weight, C, x);
  detail::check_vector("group_norm", "bias", bias, C, x);
  if (weight.defined()) y = y * weight.reshape(channels);
  return bias.defined() ? y + bias.reshape(channels) : y;
}

//   the K shifted copies of x side by side: (N, C, K, L'), as columns of one product for each group
Tensor conv1d(const Tensor& x0, const Tensor& weight, const Tensor& bias,
              const Conv1dOptions& options) {
  const auto [stride, padding, dilation, groups] = options;
  SLOPE_CHECK(stride > 0 && padding >= 0 && dilation > 0 && groups > 0,
              "conv1d: stride {}, dilation {} and groups {} must be above 0, padding {} not "
              "negative",
              stride, dilation, groups, padding);
  SLOPE_CHECK_SHAPE(weight.rank() == 3 && (x0.rank() == 2 || x0.rank() == 3) &&
                        x0.size(-2) == weight.size(1) * groups && weight.size(0) % groups == 0,
                    "conv1d: needs (N, C, L) or (C, L), (O, C / groups, K), {} groups; got {}, {}",
                    groups, x0.shape(), weight.shape());
  detail::check_vector("conv1d", "bias", bias, weight.size(0), x0);
  const Tensor x = pad(x0.rank() == 2 ? x0.unsqueeze(0) : x0, {padding, padding});
  const int64_t N = x.size(0), C = x.size(1), O = weight.size(0), K = weight.size(2),
                covered = checked_add(checked_mul(dilation, K - 1), 1);
  SLOPE_CHECK_SHAPE(K > 0 && x.size(2) >= covered,
                    "conv1d: the kernel covers {} positions, the padded input has {}", covered,
                    x.size(2));
  const int64_t L = (x.size(2) - covered) / stride + 1;
  Tensors shifted;
  for (int64_t k = 0; k < K; ++k)
    shifted.push_back(
        x.slice(2, k * dilation, k * dilation + (L - 1) * stride + 1, stride));  // (N, C, L')
  const Tensor columns = stack(shifted, 2).reshape({N, groups, C / groups * K, L}),
               rows = weight.reshape({groups, O / groups, C / groups * K});
  Tensor y = matmul(rows, columns).reshape({N, O, L});
  if (bias.defined()) y = y + bias.unsqueeze(-1);
  return x0.rank() == 2 ? y.squeeze(0) : y;
}

//   W_v <- W_v max_norm / (|W_v|_p + 1e-7) where |W_v|_p > max_norm
void embedding_renorm(const Tensor& weight, const Tensor& index, double max_norm,
                      double norm_type) {
  SLOPE_CHECK_SHAPE(weight.rank() == 2, "embedding_renorm: the table must be (V, d), got {}",
                    weight.shape());
  for (size_t dim = 0; dim < 2; ++dim)
    SLOPE_CHECK_AS(UsageError, weight.shape()[dim] < 2 || weight.strides()[dim] != 0,
                   "embedding_renorm: the table repeats elements; clone() it");
  const NoGrad no_grad;
  const Tensor ids = contiguous(index);
  std::set<int64_t> distinct;  // without ids outside the table, which embedding() refuses
  for (int64_t i = 0; i < ids.numel(); ++i)
    if (const int64_t v = ids.data<int64_t>()[i]; v >= 0 && v < weight.size(0)) distinct.insert(v);
  const Tensor rows = from_vector(std::vector<int64_t>(distinct.begin(), distinct.end()),
                                  {static_cast<int64_t>(distinct.size())}),
               old = index_select(weight, 0, rows), norms = norm(old, norm_type, {1}, keepdim),
               scaled = where(norms > max_norm, max_norm / (norms + 1e-7) * old, old);
  int64_t i = 0;
  for (const int64_t v : distinct) copy_into(scaled.select(0, i++), weight.select(0, v));
}

}  // namespace slope::nn
