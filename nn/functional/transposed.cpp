#include <slope/autograd/ops.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/transposed.h>

namespace slope::nn {

//   sum_c W_cok x_ct for all o, k, t at once, (N, O, K, L); then those of each k are added at
//   t stride + k dilation
Tensor conv_transpose1d(const Tensor& x0, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose1dOptions& o) {
  const auto [stride, padding, output_padding, groups, dilation] = o;
  SLOPE_CHECK(stride > 0 && padding >= 0 && dilation > 0 && groups > 0 && output_padding >= 0 &&
                  output_padding < std::max(stride, dilation),
              "conv_transpose1d: stride {}, dilation {} and groups {} must be above 0, padding {} "
              "not negative, output_padding {} below stride or dilation",
              stride, dilation, groups, padding, output_padding);
  SLOPE_CHECK_SHAPE(weight.rank() == 3 && weight.size(2) > 0 &&
                        (x0.rank() == 2 || x0.rank() == 3) && x0.size(-1) > 0 &&
                        x0.size(-2) == weight.size(0) && weight.size(0) % groups == 0,
                    "conv_transpose1d: needs (N, C, L) or (C, L), (C, O / groups, K), {} groups; "
                    "got {}, {}",
                    groups, x0.shape(), weight.shape());
  detail::check_vector("conv_transpose1d", "bias", bias, weight.size(1) * groups, x0);
  const Tensor x = x0.rank() == 2 ? x0.unsqueeze(0) : x0;
  const int64_t N = x.size(0), C = x.size(1), L = x.size(2), K = weight.size(2),
                O = weight.size(1) * groups, span = checked_add(checked_mul(L - 1, stride), 1),
                full = checked_add(checked_add(span, checked_mul(dilation, K - 1)), output_padding);
  SLOPE_CHECK_SHAPE(full > checked_mul(2, padding),
                    "conv_transpose1d: padding {} cuts off all of {} positions", padding, full);
  const Tensor columns = weight.reshape({groups, C / groups, O / groups * K}).transpose(1, 2);
  const Tensor products =
      matmul(columns, x.reshape({N, groups, C / groups, L})).reshape({N, O, K, L});
  const Tensor spread = pad(products.unsqueeze(-1), {0, stride - 1})
                            .reshape({N, O, K, L * stride})
                            .narrow(3, 0, span);
  Tensor y = zeros({N, O, full}, x.dtype());
  for (int64_t k = 0; k < K; ++k)
    y = y + pad(spread.select(2, k), {k * dilation, full - span - k * dilation});
  y = y.narrow(2, padding, full - 2 * padding);
  if (bias.defined()) y = y + bias.unsqueeze(-1);
  return x0.rank() == 2 ? y.squeeze(0) : y;
}

Tensor conv_tbc(const Tensor& x, const Tensor& weight, const Tensor& bias, int64_t padding) {
  SLOPE_CHECK_SHAPE(x.rank() == 3 && weight.rank() == 3 && x.size(2) == weight.size(1),
                    "conv_tbc: needs (L, N, C) and (K, C, O), got {} and {}", x.shape(),
                    weight.shape());
  detail::check_vector("conv_tbc", "bias", bias, weight.size(2), x);
  const Tensor channels_first = x.permute({1, 2, 0}), kernel = weight.permute({2, 1, 0});
  return conv1d(channels_first, kernel, bias, {.padding = padding}).permute({2, 0, 1});
}

}  // namespace slope::nn
