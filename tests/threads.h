// Restores the number of threads after a test, even if the test throws.
#pragma once

#include <slope/core/loops/parallel.h>

namespace slope {

class KeepThreads {
 public:
  KeepThreads() = default;
  ~KeepThreads() { set_num_threads(before_); }
  KeepThreads(const KeepThreads&) = delete;
  KeepThreads& operator=(const KeepThreads&) = delete;

 private:
  int before_ = num_threads();
};

}  // namespace slope
