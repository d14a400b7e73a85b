// y_op = bias_o + sum_ckt W_cok x_ct, over the t and k with t stride + k dilation - padding = p:
// the adjoint of Conv1d with the same settings; it makes sequences longer.
#pragma once

#include <slope/nn/functional/transposed.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <cmath>

namespace slope::nn {

struct ConvTranspose1d {
  Parameter weight;               // (in, out / groups, kernel)
  std::optional<Parameter> bias;  // (out)
  ConvTranspose1dOptions options;

  ConvTranspose1d(int64_t in, int64_t out, int64_t kernel, ConvTranspose1dOptions o = {},
                  bool with_bias = true)
      : weight(Dims{in, out / std::max<int64_t>(o.groups, 1), kernel}), options(o) {
    SLOPE_CHECK_AS(UsageError, o.groups > 0 && in % o.groups == 0 && out % o.groups == 0,
                   "ConvTranspose1d: {} channels and {} outputs do not fall into {} groups", in,
                   out, o.groups);
    init::kaiming_uniform(weight, std::sqrt(5.0));
    const double fan_in = init::fan_of(weight, init::Fan::in);
    if (with_bias)
      init::uniform(bias.emplace(Dims{out}), fan_in > 0 ? -1 / std::sqrt(fan_in) : 0,
                    fan_in > 0 ? 1 / std::sqrt(fan_in) : 0);
  }
  // (N, in, L) -> (N, out, L'), or without N
  Tensor forward(const Tensor& x) const {
    return conv_transpose1d(x, weight, or_none(bias), options);
  }

  std::string extra_repr() const {
    std::string text = fmt::format("{}, {}, kernel_size=({},), stride=({},)", weight.size(0),
                                   weight.size(1) * options.groups, weight.size(2), options.stride);
    if (options.padding != 0) text += fmt::format(", padding=({},)", options.padding);
    if (options.dilation != 1) text += fmt::format(", dilation=({},)", options.dilation);
    if (options.output_padding != 0)
      text += fmt::format(", output_padding=({},)", options.output_padding);
    if (options.groups != 1) text += fmt::format(", groups={}", options.groups);
    return text + (bias ? "" : ", bias=False");
  }
  ConvTranspose1d blank() const {
    return ConvTranspose1d(weight.size(0), weight.size(1) * options.groups, weight.size(2), options,
                           bias.has_value());
  }
  SLOPE_MODULE(ConvTranspose1d, weight, bias)
};

}  // namespace slope::nn
