// Mutex and Lock: those of the C++ library; nothing in a plain build, which has no threads and may
// have no library for them.
#pragma once

#ifdef SLOPE_PLAIN

namespace slope {
struct Mutex {};
struct Lock {
  explicit Lock(Mutex&) {}
  ~Lock() {}  // not trivial: nobody is told that a lock is unused
};
}  // namespace slope

#else
#include <mutex>

namespace slope {
using Mutex = std::mutex;
using Lock = std::lock_guard<std::mutex>;
}  // namespace slope
#endif
