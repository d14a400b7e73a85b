// Sanitizers make loops over random cases very slow, and a tenth of the cases makes the same kinds
// of access.
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
