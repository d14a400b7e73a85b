// y = x / sqrt(mean x^2 + eps) * weight, over the last dims (Zhang and Sennrich, 2019).
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <limits>

namespace slope::nn {

struct RMSNormOptions {
  // none: the machine epsilon of the input's dtype, as in torch.nn.RMSNorm
  std::optional<double> eps = {};
  bool elementwise_affine = true;
};

struct RMSNorm {
  std::optional<Parameter> weight;  // (the normalised dims)
  Dims normalized_shape;
  std::optional<double> eps;

  explicit RMSNorm(const Dims& shape, RMSNormOptions options = {});
  explicit RMSNorm(int64_t size, RMSNormOptions options = {}) : RMSNorm(Dims{size}, options) {}
  Tensor forward(const Tensor& x) const {
    const double epsilon = x.dtype() == f64 ? std::numeric_limits<double>::epsilon()
                                            : std::numeric_limits<float>::epsilon();
    return rms_norm(x, weight ? Tensor(*weight) : ones(normalized_shape, x.dtype()),
                    eps.value_or(epsilon));
  }

  std::string extra_repr() const {
    return fmt::format("{}, eps={}, elementwise_affine={}", python(normalized_shape),
                       eps ? python(*eps) : "None", python(weight.has_value()));
  }
  RMSNorm blank() const { return RMSNorm(normalized_shape, {eps, weight.has_value()}); }
  SLOPE_MODULE(RMSNorm, weight)
};

}  // namespace slope::nn
