// The threads that OpenMP may have. Its runtimes end the process where the system grants no more
// threads (`ulimit -u`, the limits of a container, few addresses). They are asked for before, so
// that a loop can run with fewer.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace slope {

// The workers of one thread that runs parallel loops, as the runtime keeps them from loop to loop:
// it ends those that a loop does not use.
class Workers {
 public:
  // How many of `wanted` threads can run a loop, the caller included. Where there are none yet and
  // the system grants none: IoError, so that a program that starts says so and ends. Later: those
  // that there are, from then on, and one line on standard error. IoError too if OMP_STACKSIZE
  // is too small for a loop.
  int granted(int wanted);

  int running() const { return running_; }

 private:
  int running_ = 1, most_ = 1 << 20;
};

// The bytes of OMP_STACKSIZE: "16384", "16 M" (OpenMP 5.0, 6.2; kilobytes without a unit). Nothing
// if OpenMP ignores the text.
std::optional<size_t> stack_size(std::string_view text);

}  // namespace slope
