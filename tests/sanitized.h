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

// How many random cases a test tries: a tenth of them under sanitizers, which make the same
// accesses.
template <class N>
constexpr N fewer(N n) {
  return sanitized ? n / 10 : n;
}

// Elements of each input that are checked by differences, for gradcheck's `sample`; 0: all.
#ifdef __wasm__
constexpr int64_t sample = 3;
#else
constexpr int64_t sample = sanitized ? 3 : 0;
#endif

}  // namespace slope::test
