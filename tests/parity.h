// How far results are from PyTorch's, collected for docs/pytorch-parity.md: if the environment
// variable SLOPE_PARITY names a file, a comparison adds a line "NAME DTYPE ERROR" to it.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>

namespace slope::test {

// The largest |a_i - b_i| / max(|b_i|, min(1, largest |b|)): relative to the element or, where sums
// cancel, to the largest. Equal infinities and two nan are no error, nor is what a test allows for
// terms that cancel (`absolute`).
inline double relative_error(std::span<const double> a, std::span<const double> b,
                             double absolute = 0) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 0, most = 0;
  for (const double y : b)
    if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double off = std::abs(a[i] - b[i]);
    if (off <= absolute) continue;
    const double error = (off - absolute) / std::max(std::abs(b[i]), std::min(largest, 1.0));
    most = std::isnan(error) ? INFINITY : std::max(most, error);
  }
  return most;
}
inline double relative_error(const Tensor& ours, const Tensor& theirs, double absolute = 0) {
  return relative_error(ours.to_vector(), theirs.to_vector(), absolute);
}

inline void record_parity(const std::string& name, DType dtype, double error) {
  static const char* const file = std::getenv("SLOPE_PARITY");
  if (!file || !std::isfinite(error)) return;
  std::FILE* const to = std::fopen(file, "a");
  if (!to) throw std::runtime_error(std::string("SLOPE_PARITY: cannot write ") + file);
  std::fprintf(to, "%s %s %g\n", name.c_str(), std::string(slope::name(dtype)).c_str(), error);
  std::fclose(to);
}

}  // namespace slope::test
