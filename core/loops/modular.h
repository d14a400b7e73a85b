// Sums and products of whole numbers are modulo 2^64, as PyTorch's are: static_cast<T>(modular(a) +
// modular(b)). Only unsigned numbers may overflow.
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
