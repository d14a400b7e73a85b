// y = x * keep / (1 - p), keep_i = 0 with probability p; y = x in eval (Srivastava et al., 2014).
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/functional/random.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

// What all dropouts share: the checked probability and the printed text.
struct DropoutNd {
  double p;

  DropoutNd(const char* who, double p) : p(p) {
    SLOPE_CHECK_AS(UsageError, p >= 0 && p <= 1,
                   "{}: dropout probability has to be between 0 and 1, but got {}", who, p);
  }
  std::string extra_repr() const { return fmt::format("p={}, inplace=False", python(p)); }
};

struct Dropout : DropoutNd {
  explicit Dropout(double p = 0.5) : DropoutNd("Dropout", p) {}
  double rate() const { return training() ? p : 0; }  // for operations with dropout inside
  Tensor forward(const Tensor& x) const { return dropout(x, p, training()); }
  Dropout blank() const { return Dropout(p); }
  SLOPE_MODULE(Dropout)
};

// Dropout of whole channels, then the dropouts that keep mean and variance after selu (random.h).
struct Dropout1d : DropoutNd {
  explicit Dropout1d(double p = 0.5) : DropoutNd("Dropout1d", p) {}
  Tensor forward(const Tensor& x) const { return dropout1d(x, p, training()); }
  Dropout1d blank() const { return Dropout1d(p); }
  SLOPE_MODULE(Dropout1d)
};
struct AlphaDropout : DropoutNd {
  explicit AlphaDropout(double p = 0.5) : DropoutNd("AlphaDropout", p) {}
  Tensor forward(const Tensor& x) const { return alpha_dropout(x, p, training()); }
  AlphaDropout blank() const { return AlphaDropout(p); }
  SLOPE_MODULE(AlphaDropout)
};
struct FeatureAlphaDropout : DropoutNd {
  explicit FeatureAlphaDropout(double p = 0.5) : DropoutNd("FeatureAlphaDropout", p) {}
  Tensor forward(const Tensor& x) const { return feature_alpha_dropout(x, p, training()); }
  FeatureAlphaDropout blank() const { return FeatureAlphaDropout(p); }
  SLOPE_MODULE(FeatureAlphaDropout)
};

}  // namespace slope::nn
