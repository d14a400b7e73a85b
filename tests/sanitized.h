// How many random cases a test tries: a tenth of them under sanitizers, which make such loops very
// slow; a tenth makes the same kinds of access.
#pragma once

namespace slope::test {

#ifdef SLOPE_SANITIZED
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

template <class N>
constexpr N fewer(N n) {
  return sanitized ? n / 10 : n;
}

}  // namespace slope::test
