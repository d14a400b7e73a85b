// What to throw where the system refuses a thread.
#pragma once

#include <slope/core/error.h>

#include <system_error>

namespace slope {

inline IoError no_further_thread(const std::system_error& e) {
  return IoError(fmt::format("cannot start another thread: {}", e.code().message()));
}

}  // namespace slope
