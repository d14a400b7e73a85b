// Convolutions besides conv1d, under the names of torch.nn.functional: compositions of operations.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn {

// The adjoint of conv1d with the same weight:
//   y_o(t * stride + k * dilation - padding) += W_cok x_ct
struct ConvTranspose1dOptions {
  int64_t stride = 1;
  int64_t padding = 0;         // positions cut off at both ends
  int64_t output_padding = 0;  // additional positions at the end
  int64_t groups = 1;
  int64_t dilation = 1;
};
// x (N, C, L) or (C, L), weight (C, O / groups, K), bias (O) -> (N, O, L') or (O, L'), where
//   L' = (L - 1) * stride - 2 * padding + dilation * (K - 1) + output_padding + 1
[[nodiscard]] Tensor conv_transpose1d(const Tensor& x, const Tensor& weight,
                                      const Tensor& bias = {},
                                      const ConvTranspose1dOptions& options = {});
// conv1d of x (L, N, C) by weight (K, C, O) and bias (O) -> (L', N, O)
[[nodiscard]] Tensor conv_tbc(const Tensor& x, const Tensor& weight, const Tensor& bias,
                              int64_t padding = 0);

}  // namespace slope::nn
