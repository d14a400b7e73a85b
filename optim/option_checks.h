// What many optimizers require of their options. The UsageError names optimizer, option and value.
#pragma once

#include <slope/core/error.h>

#include <array>
#include <initializer_list>

namespace slope::optim {

struct NamedOption {
  const char* name;
  double value;
};

inline void check_not_negative(const char* optimizer, std::initializer_list<NamedOption> options) {
  for (const auto& [name, value] : options)
    SLOPE_CHECK_AS(UsageError, value >= 0, "{}: {} must not be negative, got {}", optimizer, name,
                   value);
}

inline void check_betas(const char* optimizer, const std::array<double, 2>& betas) {
  for (double beta : betas)
    SLOPE_CHECK_AS(UsageError, beta >= 0 && beta < 1, "{}: betas must be in [0, 1), got {}",
                   optimizer, beta);
}

}  // namespace slope::optim
