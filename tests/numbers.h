// n numbers in [-1, 1), the same at every call, from a hash that costs little even under
// sanitizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slope::test {

template <class T>
std::vector<T> numbers(int64_t n, uint32_t site) {
  std::vector<T> x(static_cast<size_t>(n));
  uint32_t index = site << 27;
  for (T& value : x) {
    uint32_t h = ++index * 2654435769U;
    h = (h ^ h >> 15) * 2246822519U;
    value = static_cast<T>(static_cast<int32_t>(h ^ h >> 13) / 2147483648.0);
  }
  return x;
}

}  // namespace slope::test
