// y = (x - E x) / sqrt(Var x + eps) * weight + bias, over the last dims (Ba, Kiros and Hinton,
// 2016).
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;  // false: neither weight nor bias
  bool bias = true;
};

struct LayerNorm {
  std::optional<Parameter> weight, bias;  // (the normalised dims)
  Dims normalized_shape;
  double eps;

  explicit LayerNorm(const Dims& shape, LayerNormOptions options = {});
  explicit LayerNorm(int64_t size, LayerNormOptions options = {})
      : LayerNorm(Dims{size}, options) {}
  Tensor forward(const Tensor& x) const {
    return layer_norm(x, weight ? Tensor(*weight) : ones(normalized_shape, x.dtype()),
                      or_none(bias), eps);
  }

  std::string extra_repr() const {
    return fmt::format("{}, eps={}, elementwise_affine={}, bias={}", python(normalized_shape),
                       python(eps), python(weight.has_value()), python(bias.has_value()));
  }
  LayerNorm blank() const {
    return LayerNorm(normalized_shape, {eps, weight.has_value(), bias.has_value()});
  }
  SLOPE_MODULE(LayerNorm, weight, bias)
};

}  // namespace slope::nn
