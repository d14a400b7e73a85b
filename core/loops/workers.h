// The threads that OpenMP may use. Its runtimes end the process if the system refuses a thread
// (`ulimit -u` or `-v`, a container's limits). So slope tries to start them beforehand, and
// a loop can run with fewer.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace slope {

// The workers of one thread that runs parallel loops. The runtime keeps them from loop to loop, but
// ends those that a loop does not use.
class Workers {
 public:
  // How many of `wanted` threads can run a loop, including the caller. If the system refuses some,
  // loops continue with the others but one, which the program may need beside them, and one line on
  // standard error says so. If it refuses all, granted() throws an IoError, so that a starting
  // program reports it and ends.
  // IoError too if OMP_STACKSIZE is too small for a loop.
  int granted(int wanted);

  int running() const { return running_; }

 private:
  int running_ = 1, largest_ = 1, most_ = 1 << 20;  // now; so far; that the system grants
};

// The bytes of OMP_STACKSIZE: "16384", "16 M" (OpenMP 5.0, section 6.2; KiB without a unit).
// nullopt if OpenMP ignores the text.
std::optional<size_t> stack_size(std::string_view text);

}  // namespace slope
