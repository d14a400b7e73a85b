// The comparison of values with golden files.
#pragma once

#include <doctest/doctest.h>

#include <slope/core/files/safetensors.h>
#include <slope/tests/golden_files.h>

#include <cmath>

namespace slope::test {

// |x - y| <= atol + rtol |y| for every element; nan equals nan.
// The message names the first that differs.
inline void check_close(const Tensor& x, const Tensor& y, double rtol, double atol,
                        const std::string& what) {
  REQUIRE_MESSAGE(x.shape() == y.shape(),
                  what << ": " << to_string(x.shape()) << " and " << to_string(y.shape()));
  const auto a = x.to_vector(), b = y.to_vector();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
        std::abs(a[i] - b[i]) <= atol + rtol * std::abs(b[i]))
      continue;
    FAIL_CHECK(what << ", element " << i << ": " << a[i] << ", expected " << b[i]);
    return;
  }
  CHECK_MESSAGE(a.size() == b.size(), what);
}

}  // namespace slope::test
