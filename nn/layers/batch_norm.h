// y = (x - E x) / sqrt(Var x + eps) * weight + bias, for each channel of (N, C) or (N, C, L):
// BatchNorm1d over the batch (Ioffe and Szegedy, 2015), with running averages that evaluation uses;
// InstanceNorm1d over each example. A batch's statistics tie its examples together: the gradients
// of micro-batches do not add up to the batch's.
#pragma once

#include <slope/nn/functional/normalisation.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  // none: the running averages weigh all batches alike
  bool affine = true;                    // false: neither weight nor bias
  bool bias = true;
  bool track_running_stats = true;
};

struct BatchNorm1d {
  std::optional<Parameter> weight, bias;                                 // (C)
  std::optional<Buffer> running_mean, running_var, num_batches_tracked;  // (C), (C), ()
  int64_t num_features;
  BatchNormOptions options;

  explicit BatchNorm1d(int64_t features, BatchNormOptions o = {})
      : num_features(features), options(o) {
    if (o.affine) init::ones(weight.emplace(Dims{features}));
    if (o.affine && o.bias) init::zeros(bias.emplace(Dims{features}));
    if (!o.track_running_stats) return;
    running_mean.emplace(zeros({features}));
    running_var.emplace(ones({features}));
    num_batches_tracked.emplace(zeros({}, i64));
  }
  // (N, C) or (N, C, L)
  Tensor forward(const Tensor& x) const;

  std::string extra_repr() const {
    return fmt::format("{}, eps={}, momentum={}, affine={}, bias={}, track_running_stats={}",
                       num_features, python(options.eps),
                       options.momentum ? python(*options.momentum) : "None",
                       python(options.affine), python(options.affine && options.bias),
                       python(options.track_running_stats));
  }
  BatchNorm1d blank() const { return BatchNorm1d(num_features, options); }
  SLOPE_MODULE(BatchNorm1d, weight, bias, running_mean, running_var, num_batches_tracked)
};

struct InstanceNormOptions {
  double eps = 1e-5;
  bool affine = false;
};

struct InstanceNorm1d {
  std::optional<Parameter> weight, bias;  // (C)
  int64_t num_features;
  double eps;

  explicit InstanceNorm1d(int64_t features, InstanceNormOptions o = {})
      : num_features(features), eps(o.eps) {
    if (!o.affine) return;
    init::ones(weight.emplace(Dims{features}));
    init::zeros(bias.emplace(Dims{features}));
  }
  // (N, C, L) or (C, L)
  Tensor forward(const Tensor& x) const {
    return instance_norm(x, or_none(weight), or_none(bias), eps);
  }

  std::string extra_repr() const {
    return fmt::format("{}, eps={}, momentum=0.1, affine={}, bias={}, track_running_stats=False",
                       num_features, python(eps), python(weight.has_value()),
                       python(bias.has_value()));
  }
  InstanceNorm1d blank() const { return InstanceNorm1d(num_features, {eps, weight.has_value()}); }
  SLOPE_MODULE(InstanceNorm1d, weight, bias)
};

}  // namespace slope::nn
