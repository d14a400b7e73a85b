// Gradient clipping. The norm is summed in double over fixed chunks: the same for any number of
// threads.
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/core/tensor/tensor.h>

namespace slope::optim {

// Norm of all gradients as one vector; norm_type may be infinity. 0 if there are no gradients.
double grad_norm(const Tensors& parameters, double norm_type = 2);

// min(1, max_norm / (norm + 1e-6)); 1 if the norm is not finite.
double clip_factor(double norm, double max_norm);

// Scales all gradients by clip_factor and returns the norm before. A norm that is not finite
// changes nothing, where PyTorch would spread nan: the caller sees it in the result, and
// first_nonfinite_grad() tells where it comes from (it finds nothing if the gradients are finite
// but the sum of their powers overflows a double).
double clip_grad_norm(const Tensors& parameters, double max_norm, double norm_type = 2);

// clip_grad_norm with a norm that is known already, perhaps that of more parameters.
void clip_grads_with_norm(const Tensors& parameters, double max_norm, double norm);

// Clamps each element to [-limit, limit].
void clip_grad_value(const Tensors& parameters, double limit);

// the parameter's name; empty if all are finite
std::string first_nonfinite_grad(const NamedTensors& parameters);

}  // namespace slope::optim
