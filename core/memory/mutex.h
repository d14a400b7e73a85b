// Mutex and Lock: those of the C++ library. In a plain build, which has no threads and may have no
// library for them, they do nothing.
#pragma once

#ifdef SLOPE_PLAIN

namespace slope {
struct Mutex {};
struct Lock {
  explicit Lock(Mutex&) {}
  ~Lock() {}  // not trivial, so that compilers do not warn of unused locks
};
}  // namespace slope

#else
#include <mutex>

namespace slope {
using Mutex = std::mutex;
using Lock = std::lock_guard<std::mutex>;
}  // namespace slope
#endif
