// The activations with a kink as modules: nn/functional/activations.h has their formulas.
#pragma once

#include <slope/nn/functional/activations.h>
#include <slope/nn/init.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct ReLU6 {
  Tensor forward(const Tensor& x) const { return relu6(x); }
  ReLU6 blank() const { return {}; }
  SLOPE_MODULE(ReLU6)
};

struct LeakyReLU {
  double negative_slope;
  explicit LeakyReLU(double negative_slope = 0.01) : negative_slope(negative_slope) {}
  Tensor forward(const Tensor& x) const { return nn::leaky_relu(x, negative_slope); }
  std::string extra_repr() const { return "negative_slope=" + python(negative_slope); }
  LeakyReLU blank() const { return LeakyReLU(negative_slope); }
  SLOPE_MODULE(LeakyReLU)
};

struct PReLU {
  Parameter weight;  // (1) or (channels)
  explicit PReLU(int64_t num_parameters = 1, double start = 0.25) : weight(Dims{num_parameters}) {
    init::constant(weight, start);
  }
  Tensor forward(const Tensor& x) const { return prelu(x, weight); }
  std::string extra_repr() const { return fmt::format("num_parameters={}", weight.numel()); }
  PReLU blank() const { return PReLU(weight.numel()); }
  SLOPE_MODULE(PReLU, weight)
};

struct RReLU {
  double lower, upper;
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3) : lower(lower), upper(upper) {}
  Tensor forward(const Tensor& x) const { return rrelu(x, lower, upper, training()); }
  std::string extra_repr() const { return "lower=" + python(lower) + ", upper=" + python(upper); }
  RReLU blank() const { return RReLU(lower, upper); }
  SLOPE_MODULE(RReLU)
};

struct ELU {
  double alpha;
  explicit ELU(double alpha = 1) : alpha(alpha) {}
  Tensor forward(const Tensor& x) const { return nn::elu(x, alpha); }
  std::string extra_repr() const { return "alpha=" + python(alpha); }
  ELU blank() const { return ELU(alpha); }
  SLOPE_MODULE(ELU)
};

struct SELU {
  Tensor forward(const Tensor& x) const { return selu(x); }
  SELU blank() const { return {}; }
  SLOPE_MODULE(SELU)
};

struct CELU {
  double alpha;
  explicit CELU(double alpha = 1) : alpha(alpha) {}
  Tensor forward(const Tensor& x) const { return nn::celu(x, alpha); }
  std::string extra_repr() const { return "alpha=" + python(alpha); }
  CELU blank() const { return CELU(alpha); }
  SLOPE_MODULE(CELU)
};

struct Hardtanh {
  double min_val, max_val;
  explicit Hardtanh(double min_val = -1, double max_val = 1) : min_val(min_val), max_val(max_val) {}
  Tensor forward(const Tensor& x) const { return nn::hardtanh(x, min_val, max_val); }
  std::string extra_repr() const {
    return "min_val=" + python(min_val) + ", max_val=" + python(max_val);
  }
  Hardtanh blank() const { return Hardtanh(min_val, max_val); }
  SLOPE_MODULE(Hardtanh)
};

struct Hardsigmoid {
  Tensor forward(const Tensor& x) const { return hardsigmoid(x); }
  Hardsigmoid blank() const { return {}; }
  SLOPE_MODULE(Hardsigmoid)
};

struct Hardswish {
  Tensor forward(const Tensor& x) const { return hardswish(x); }
  Hardswish blank() const { return {}; }
  SLOPE_MODULE(Hardswish)
};

struct Hardshrink {
  double lambda;
  explicit Hardshrink(double lambda = 0.5) : lambda(lambda) {}
  Tensor forward(const Tensor& x) const { return nn::hardshrink(x, lambda); }
  std::string extra_repr() const { return python(lambda); }
  Hardshrink blank() const { return Hardshrink(lambda); }
  SLOPE_MODULE(Hardshrink)
};

struct Softshrink {
  double lambda;
  explicit Softshrink(double lambda = 0.5) : lambda(lambda) {}
  Tensor forward(const Tensor& x) const { return nn::softshrink(x, lambda); }
  std::string extra_repr() const { return python(lambda); }
  Softshrink blank() const { return Softshrink(lambda); }
  SLOPE_MODULE(Softshrink)
};

struct Threshold {
  double threshold, value;
  Threshold(double threshold, double value) : threshold(threshold), value(value) {}
  Tensor forward(const Tensor& x) const { return nn::threshold(x, threshold, value); }
  std::string extra_repr() const {
    return "threshold=" + python(threshold) + ", value=" + python(value);
  }
  Threshold blank() const { return Threshold(threshold, value); }
  SLOPE_MODULE(Threshold)
};

}  // namespace slope::nn
