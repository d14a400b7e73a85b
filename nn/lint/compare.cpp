// How the detectors compare: max |a - b| / max(|a|, |b|).
#include <slope/nn/lint/lint.h>

#include <algorithm>
#include <cmath>

namespace slope::nn::lint {

double tolerance(DType dtype) { return dtype == f64 ? 1e-9 : 1e-4; }

double difference(const Tensor& a, const Tensor& b) {
  SLOPE_CHECK_SHAPE(a.shape() == b.shape(),
                    "lint: results that should be equal have shapes {} and {}", a.shape(),
                    b.shape());
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  double most = 0, scale = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - y[i]);
    if (!std::isfinite(d)) return INFINITY;
    most = std::max(most, d);
    scale = std::max({scale, std::abs(x[i]), std::abs(y[i])});
  }
  return most == 0 ? 0 : most / scale;
}

int64_t count_unexplained(const Findings& findings) {
  return std::count_if(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.reason.empty(); });
}

}  // namespace slope::nn::lint
