// y = (x - E x) / sqrt(Var x + eps) * weight + bias, over each group of channels and all further
// dims; weight and bias for each channel (Wu and He, 2018).
#pragma once

#include <slope/nn/functional/layers.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;  // false: neither weight nor bias
  bool bias = true;
};

struct GroupNorm {
  std::optional<Parameter> weight, bias;  // (channels)
  int64_t num_groups, num_channels;
  double eps;

  GroupNorm(int64_t groups, int64_t channels, GroupNormOptions options = {})
      : num_groups(groups), num_channels(channels), eps(options.eps) {
    SLOPE_CHECK_AS(UsageError, groups > 0 && channels % groups == 0,
                   "GroupNorm: {} channels do not fall into {} groups of equal size", channels,
                   groups);
    if (!options.affine) return;
    init::ones(weight.emplace(Dims{channels}));
    if (options.bias) init::zeros(bias.emplace(Dims{channels}));
  }
  // (N, channels, *)
  Tensor forward(const Tensor& x) const {
    return group_norm(x, num_groups, or_none(weight), or_none(bias), eps);
  }

  std::string extra_repr() const {
    return fmt::format("{}, {}, eps={}, affine={}, bias={}", num_groups, num_channels, python(eps),
                       python(weight.has_value()), python(bias.has_value()));
  }
  GroupNorm blank() const {
    return GroupNorm(num_groups, num_channels, {eps, weight.has_value(), bias.has_value()});
  }
  SLOPE_MODULE(GroupNorm, weight, bias)
};

}  // namespace slope::nn
