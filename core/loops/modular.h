// Sums and products of integers are modulo 2^64, as in PyTorch: static_cast<T>(modular(a) +
// modular(b)). Only unsigned integers may overflow in C++.
#pragma once

#include <concepts>
#include <cstdint>

namespace slope {

template <class T>
[[gnu::always_inline]] inline auto modular(T x) {
  if constexpr (std::same_as<T, int64_t>)
    return static_cast<uint64_t>(x);
  else
    return x;
}

}  // namespace slope
