// A sanitizer slows loops over random cases down a great deal, and sees the same accesses in a
// tenth of them.
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
