// Normalisation over batches and over single examples, under the names of torch.nn.functional.
// Weights and biases (C) may be undefined; they and running averages have x's dtype.
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

struct BatchNormState {
  Tensor running_mean = {}, running_var = {};  // (C), or undefined
  bool training = false;                       // normalise by the batch, and update these in place
  double momentum = 0.1;                       // weight of the batch in the running averages
};
// x (N, C) or (N, C, L), normalised over N and L if `training`, otherwise by the running averages
[[nodiscard]] Tensor batch_norm(const Tensor& x, const BatchNormState& state,
                                const Tensor& weight = {}, const Tensor& bias = {},
                                double eps = 1e-5);
// x (N, C, L) or (C, L), normalised over L
[[nodiscard]] Tensor instance_norm(const Tensor& x, const Tensor& weight = {},
                                   const Tensor& bias = {}, double eps = 1e-5);

}  // namespace slope::nn
