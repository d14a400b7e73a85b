#include <slope/core/loops/workers.h>
#ifdef SLOPE_OPENMP

#include <slope/core/error.h>
#include <slope/core/text/parse_number.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace slope {

std::optional<size_t> stack_size(std::string_view text) {
  const auto trimmed = [](std::string_view s) {
    const size_t first = s.find_first_not_of(' ');
    return first == s.npos ? "" : s.substr(first, s.find_last_not_of(' ') + 1 - first);
  };
  constexpr std::string_view units = "BKMG";
  text = trimmed(text);
  int shift = 10;
  if (!text.empty())
    if (const size_t unit = units.find(static_cast<char>(text.back() & ~0x20));
        unit != units.npos) {
      shift = static_cast<int>(unit) * 10;
      text = trimmed(text.substr(0, text.size() - 1));
    }
  int64_t number = 0;
  if (!parse_number(text, number) || number < 0 || number > INT64_MAX >> shift) return std::nullopt;
  return static_cast<size_t>(number) << shift;
}

namespace {

// The stack size of OpenMP's threads: OMP_STACKSIZE or libgomp's own variable; 0: the system's
// default.
size_t stack_of_workers() {
  constexpr size_t least = 256 << 10;
  for (const char* variable : {"OMP_STACKSIZE", "GOMP_STACKSIZE"})
    if (const char* text = std::getenv(variable))
      if (const std::optional<size_t> bytes = stack_size(text)) {
        SLOPE_CHECK_AS(IoError, *bytes >= least,
                       "threads: {}={} is too small a stack (at least {}K); unset it or raise it",
                       variable, text, least >> 10);
        return *bytes;
      }
  return 0;
}

struct Tried {
  int started, error;  // error: the errno of a failed start, or 0
};

// Starts up to `count` threads at once and ends them. No thread sleeps meanwhile: waking a
// processor again can take longer than all the rest.
Tried start_and_end(int count, size_t stack) {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) return {0, error};
  int error = stack > 0 ? pthread_attr_setstacksize(&attributes, stack) : 0;
  std::atomic<bool> all_started{false};  // no thread ends before all have started
  std::vector<pthread_t> threads(static_cast<size_t>(count));
  const auto wait = [](void* started) -> void* {
    while (!static_cast<std::atomic<bool>*>(started)->load()) sched_yield();
    return nullptr;
  };
  size_t started = 0;
  while (!error && started < threads.size())
    if (!(error = pthread_create(&threads[started], &attributes, wait, &all_started))) ++started;
  all_started = true;
  for (size_t i = 0; i < started; ++i)
    while (pthread_tryjoin_np(threads[i], nullptr) == EBUSY) sched_yield();
  pthread_attr_destroy(&attributes);
  return {static_cast<int>(started), error};
}

void say_once(int running, int error) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fputs(fmt::format("slope: no further thread could be started ({}); continues with {}, with "
                         "the same results\n",
                         std::generic_category().message(error), running)
                 .c_str(),
             stderr);
}

}  // namespace

int Workers::granted(int wanted) {
  wanted = std::min(wanted, most_);
  if (wanted <= 1) return 1;  // the loop runs without OpenMP, which keeps its threads
  if (wanted > running_) {
    // One more than any loop had before: it is left to others, such as the thread that prepares
    // batches.
    const int spare = wanted > largest_ ? 1 : 0;
    const size_t stack = stack_of_workers();
    if (const auto [started, error] = start_and_end(wanted - running_ + spare, stack); error) {
      SLOPE_CHECK_AS(
          IoError, running_ + started > 1,
          "threads: none of {} could be started{}: {}; raise the limit (ulimit -u, ulimit -v, or "
          "the container's) or use fewer: --threads, OMP_NUM_THREADS",
          wanted - running_,
          stack > 0 ? fmt::format(" with a stack of {} MiB (OMP_STACKSIZE)", stack >> 20) : "",
          std::generic_category().message(error));
      most_ = wanted = running_ + std::max(started - spare, 0);
      say_once(wanted, error);
    }
    largest_ = std::max(largest_, wanted);
  }
  return running_ = wanted;
}

}  // namespace slope
#endif
