// Histograms of a tensor's elements as JSON: counts in equal bins of a range.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace slope::explorer {

inline std::string counts_json(const std::vector<double>& values, double low, double high) {
  constexpr int parts = 24;
  std::vector<int> counts(parts);
  for (const double v : values) {
    const double at = (v - low) / (high - low) * parts;
    if (!std::isnan(at)) ++counts[static_cast<size_t>(std::clamp(at, 0.0, parts - 1.0))];
  }
  return fmt::format("[{}]", fmt::join(counts, ", "));
}

inline std::string histogram_json(const Tensor& x, double low, double high) {
  return counts_json(x.detach().to_vector(), low, high);
}

// The histogram of magnitudes on a log scale from 1e-8 to 1e1: shows where gradients vanish or
// explode.
inline std::string log_histogram_json(const Tensor& x) {
  std::vector<double> exponents = x.detach().to_vector();
  for (double& v : exponents) v = std::log10(std::max(std::abs(v), 1e-30));
  return counts_json(exponents, -8, 1);
}

}  // namespace slope::explorer
