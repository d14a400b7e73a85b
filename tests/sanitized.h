// What a test leaves out where it would take minutes: under sanitizers and in WebAssembly. Every
// kind of access and every rule stays.
#pragma once

#include <cstdint>

namespace slope::test {

#ifdef SLOPE_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#ifdef __wasm__
constexpr bool slow = true;
#else
constexpr bool slow = sanitized;
#endif

// How many random cases a test tries: a tenth of them in a slow build, which makes the same
// accesses.
template <class N>
constexpr N fewer(N n) {
  return slow ? n / 10 : n;
}

// Elements of each input that are checked by differences, for gradcheck's `sample`; 0: all.
constexpr int64_t sample = slow ? 3 : 0;

}  // namespace slope::test
