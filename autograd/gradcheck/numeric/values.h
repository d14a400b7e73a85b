// Comparing tensors element by element, in row-major order.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

namespace slope {

struct ElementPair {
  int64_t element;
  double a, b;

  // both with 9 digits, or with as many as tell them apart
  std::string a_text() const { return fmt::format("{:.{}g}", a, digits()); }
  std::string b_text() const { return fmt::format("{:.{}g}", b, digits()); }

 private:
  int digits() const { return fmt::format("{:.9g}", a) == fmt::format("{:.9g}", b) ? 17 : 9; }
};

// Tensors of the same shape; nan equals nan, and an undefined tensor counts as zeros.
inline std::optional<ElementPair> first_difference(const Tensor& x, const Tensor& y) {
  const auto values = [](const Tensor& t) {
    return t.defined() ? t.detach().to_vector() : std::vector<double>();
  };
  std::vector<double> a = values(x), b = values(y);
  a.resize(std::max(a.size(), b.size()));
  b.resize(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))))
      return ElementPair{static_cast<int64_t>(i), a[i], b[i]};
  return std::nullopt;
}

inline std::optional<ElementPair> first_not_finite(const Tensor& x) {
  const std::vector<double> a = x.detach().to_vector();
  for (size_t i = 0; i < a.size(); ++i)
    if (!std::isfinite(a[i])) return ElementPair{static_cast<int64_t>(i), a[i], a[i]};
  return std::nullopt;
}

}  // namespace slope
