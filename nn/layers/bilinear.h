// y_o = sum_ij a_i W_oij b_j + bias_o
#pragma once

#include <slope/nn/functional/layers.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <cmath>

namespace slope::nn {

struct Bilinear {
  Parameter weight;               // (out, in1, in2)
  std::optional<Parameter> bias;  // (out)

  Bilinear(int64_t in1, int64_t in2, int64_t out, bool with_bias = true)
      : weight(Dims{out, in1, in2}) {
    SLOPE_CHECK_AS(UsageError, in1 > 0, "Bilinear: in1_features must be above 0, got {}", in1);
    if (with_bias) bias.emplace(Dims{out});
    const double bound = 1 / std::sqrt(static_cast<double>(in1));
    init::uniform(weight, -bound, bound);
    if (bias) init::uniform(*bias, -bound, bound);
  }
  // (*, in1), (*, in2) -> (*, out)
  Tensor forward(const Tensor& a, const Tensor& b) const {
    return bilinear(a, b, weight, or_none(bias));
  }

  std::string extra_repr() const {
    return fmt::format("in1_features={}, in2_features={}, out_features={}, bias={}", weight.size(1),
                       weight.size(2), weight.size(0), python(bias.has_value()));
  }
  Bilinear blank() const {
    return Bilinear(weight.size(1), weight.size(2), weight.size(0), bias.has_value());
  }
  SLOPE_MODULE(Bilinear, weight, bias)
};

}  // namespace slope::nn
