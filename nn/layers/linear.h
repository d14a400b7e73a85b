// y = x W^T + b
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <cmath>

namespace slope::nn {

struct Linear {
  Parameter weight;               // (out, in)
  std::optional<Parameter> bias;  // (out)

  Linear(int64_t in, int64_t out, bool with_bias = true) : weight(Dims{out, in}) {
    if (with_bias) bias.emplace(Dims{out});
    // U(-1/sqrt(in), 1/sqrt(in)), as torch.nn.Linear
    init::kaiming_uniform(weight, std::sqrt(5.0));
    const double bound = in > 0 ? 1 / std::sqrt(static_cast<double>(in)) : 0;
    if (bias) init::uniform(*bias, -bound, bound);
  }
  // (*, in) -> (*, out)
  Tensor forward(const Tensor& x) const { return linear(x, weight, or_none(bias)); }

  int64_t in_features() const { return weight.size(1); }
  int64_t out_features() const { return weight.size(0); }
  std::string extra_repr() const {
    return fmt::format("in_features={}, out_features={}, bias={}", in_features(), out_features(),
                       python(bias.has_value()));
  }
  Linear blank() const { return Linear(in_features(), out_features(), bias.has_value()); }
  SLOPE_MODULE(Linear, weight, bias)
};

}  // namespace slope::nn
