// y_ot = bias_o + sum_ck W_ock x_c(t * stride + k * dilation - padding): a linear layer that slides
// over the last dim. Channels and outputs fall into `groups` parts, each with its own weights.
#pragma once

#include <slope/nn/functional/layers.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <cmath>

namespace slope::nn {

struct Conv1d {
  Parameter weight;               // (out, in / groups, kernel)
  std::optional<Parameter> bias;  // (out)
  Conv1dOptions options;

  Conv1d(int64_t in, int64_t out, int64_t kernel, Conv1dOptions o = {}, bool with_bias = true)
      : weight(Dims{out, in / std::max<int64_t>(o.groups, 1), kernel}), options(o) {
    SLOPE_CHECK_AS(UsageError, o.groups > 0 && in % o.groups == 0 && out % o.groups == 0,
                   "Conv1d: {} channels and {} outputs do not fall into {} groups", in, out,
                   o.groups);
    if (with_bias) bias.emplace(Dims{out});
    init::kaiming_uniform(weight, std::sqrt(5.0));
    const double fan_in = init::fan_of(weight, init::Fan::in),
                 bound = fan_in > 0 ? 1 / std::sqrt(fan_in) : 0;
    if (bias) init::uniform(*bias, -bound, bound);
  }
  // (N, in, L) -> (N, out, L'), or without N
  Tensor forward(const Tensor& x) const { return conv1d(x, weight, or_none(bias), options); }

  std::string extra_repr() const {
    const auto part = [](bool shown, const char* name, int64_t value) {
      return shown ? fmt::format(", {}=({},)", name, value) : std::string();
    };
    return fmt::format("{}, {}, kernel_size=({},), stride=({},)", weight.size(1) * options.groups,
                       weight.size(0), weight.size(2), options.stride) +
           part(options.padding != 0, "padding", options.padding) +
           part(options.dilation != 1, "dilation", options.dilation) +
           (options.groups != 1 ? fmt::format(", groups={}", options.groups) : "") +
           (bias ? "" : ", bias=False");
  }
  Conv1d blank() const {
    return Conv1d(weight.size(1) * options.groups, weight.size(0), weight.size(2), options,
                  bias.has_value());
  }
  SLOPE_MODULE(Conv1d, weight, bias)
};

}  // namespace slope::nn
