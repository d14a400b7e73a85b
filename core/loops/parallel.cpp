#include <slope/core/error.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/loops/team.h>
#include <slope/core/loops/workers.h>
#include <slope/core/memory/mutex.h>
#include <slope/core/module_path.h>

#include <atomic>
#include <exception>
#include <vector>

#if defined(SLOPE_OPENMP)
#include <omp.h>
#endif
#if !defined(SLOPE_PLAIN)
#include <unistd.h>
#endif

namespace slope {

namespace {
#if defined(SLOPE_OPENMP)
thread_local bool inside = false;  // a chunk is running on this thread: nested loops are serial

int default_threads() { return std::clamp(omp_get_max_threads(), 1, omp_get_num_procs() * 8); }
thread_local int threads = default_threads();
thread_local Team team_of_thread(threads);
thread_local Workers workers;

// How many threads take part. Running threads take part even if there are fewer chunks: otherwise
// OpenMP would end them and start others for the next loop, which takes longer than letting them
// wait.
int take_part(int64_t chunks, Clock::time_point start) {
  const int64_t useful = std::max<int64_t>(chunks, workers.running());
  return workers.granted(static_cast<int>(std::min<int64_t>(team_of_thread.size(start), useful)));
}

// The chunks of a loop in queues of adjacent chunks, one queue for each thread. With fewer chunks
// than threads, or more than `most` threads, some threads share a queue.
class Queues {
 public:
  Queues(int64_t chunks, int parts) : count_(std::min(parts, most)) {
    for (int q = 0; q < count_; ++q)
      queues_[q].next = chunks * q / count_, queues_[q].end = chunks * (q + 1) / count_;
  }

  // Calls f(chunk) for the chunks of the thread's own queue, then for those left in the others.
  template <class F>
  void for_each(int thread, const F& f) {
    for (int q = 0; q < count_; ++q) {
      Queue& queue = queues_[(thread + q) % count_];
      for (int64_t i; (i = queue.next.fetch_add(1, std::memory_order_relaxed)) < queue.end;) f(i);
    }
  }

 private:
  static constexpr int most = 16;
  struct alignas(64) Queue {  // one cache line each
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  Queue queues_[most];
  int count_;
};

// A child forked after a parallel region would wait forever for threads that it does not have:
// refuse instead.
void refuse_forked_child() {
#if !defined(SLOPE_PLAIN)
  static std::atomic<pid_t> owner{0};
  pid_t expected = 0;
  const pid_t self = getpid();
  if (!owner.compare_exchange_strong(expected, self))
    SLOPE_CHECK(expected == self,
                "parallel_for: this process was forked after its parent ran parallel loops; use "
                "threads, or start a new program");
#endif
}
#endif
}  // namespace

#if defined(SLOPE_OPENMP)
int num_threads() { return threads; }
void set_num_threads(int n) {
  SLOPE_CHECK_AS(UsageError, n >= 1, "threads: need at least 1, got {}", n);
  threads = n;
  team_of_thread = Team(n);
}
void try_threads() { (void)workers.granted(threads); }
#else
int num_threads() { return 1; }
void set_num_threads(int n) {
  SLOPE_CHECK_AS(UsageError, n >= 1, "threads: need at least 1, got {}", n);
}
void try_threads() {}
#endif

void detail::run_chunks(int64_t chunks, void (*chunk)(void*, int64_t), void* context,
                        [[maybe_unused]] Sharing sharing) {
#if defined(SLOPE_OPENMP)
  const Clock::time_point start =
      threads > 1 && chunks > 1 && !inside ? Clock::now() : Clock::time_point();
  const int team = start == Clock::time_point() ? 1 : take_part(chunks, start);
  if (team > 1) {
    refuse_forked_child();
    Clock::duration longest{};       // among the caller's chunks
    Clock::time_point done = start;  // end of the caller's last chunk
    const int64_t parts = sharing == Sharing::in_order ? 1 : std::min<int64_t>(team, chunks);
    Queues queues(chunks, static_cast<int>(parts));
    std::atomic<int64_t> failed_chunk{INT64_MAX};
    std::exception_ptr failure;
    Mutex mutex;
    const char* const module = current_module();
#pragma omp parallel num_threads(team)
    {
      inside = true;
      const int thread = omp_get_thread_num();
      const bool is_caller = thread == 0;
      if (!is_caller) set_current_module(module);  // for the text of an error
      queues.for_each(thread, [&](int64_t i) {
        if (i > failed_chunk.load(std::memory_order_relaxed)) return;
        try {
          chunk(context, i);
          if (is_caller) {
            const Clock::time_point now = Clock::now();
            longest = std::max(longest, now - done);
            done = now;
          }
        } catch (...) {
          const Lock lock(mutex);
          if (i < failed_chunk.load()) {
            failed_chunk = i;
            failure = std::current_exception();
          }
        }
      });
      if (!is_caller) set_current_module(nullptr);
      inside = false;
    }
    if (failure) std::rethrow_exception(failure);
    const Clock::time_point end = Clock::now();
    team_of_thread.note(end - start, end - done - 2 * longest, end);
    return;
  }
#endif
  for (int64_t i = 0; i < chunks; ++i) chunk(context, i);
}

}  // namespace slope
