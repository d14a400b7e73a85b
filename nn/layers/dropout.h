// y = x * keep / (1 - p), keep_i = 0 with probability p; y = x in eval (Srivastava et al., 2014).
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/functional/random.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct Dropout {
  double p;

  explicit Dropout(double p = 0.5) : p(p) {
    SLOPE_CHECK_AS(UsageError, p >= 0 && p <= 1,
                   "Dropout: the probability must be in [0, 1], got {}", p);
  }
  double rate() const { return training() ? p : 0; }  // for operations with dropout inside
  Tensor forward(const Tensor& x) const { return dropout(x, p, training()); }

  std::string extra_repr() const { return fmt::format("p={}, inplace=False", python(p)); }
  Dropout blank() const { return Dropout(p); }
  SLOPE_MODULE(Dropout)
};

// Whole channels (dropout1d), and those that keep mean and variance behind selu.
struct Dropout1d {
  double p = 0.5;
  Tensor forward(const Tensor& x) const { return dropout1d(x, p, training()); }
  std::string extra_repr() const { return fmt::format("p={}, inplace=False", python(p)); }
  Dropout1d blank() const { return {p}; }
  SLOPE_MODULE(Dropout1d)
};
struct AlphaDropout {
  double p = 0.5;
  Tensor forward(const Tensor& x) const { return alpha_dropout(x, p, training()); }
  std::string extra_repr() const { return fmt::format("p={}, inplace=False", python(p)); }
  AlphaDropout blank() const { return {p}; }
  SLOPE_MODULE(AlphaDropout)
};
struct FeatureAlphaDropout {
  double p = 0.5;
  Tensor forward(const Tensor& x) const { return feature_alpha_dropout(x, p, training()); }
  std::string extra_repr() const { return fmt::format("p={}, inplace=False", python(p)); }
  FeatureAlphaDropout blank() const { return {p}; }
  SLOPE_MODULE(FeatureAlphaDropout)
};

}  // namespace slope::nn
