// Counts allocations, in counters of each thread that are flushed to shared totals now and then,
// because adding to a shared total takes as long as the rest of a small allocation. Private to
// core/memory/memory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slope::memory {

// Trivially destructible, so that it also counts what a thread's variables free at its end.
struct Account {
  int64_t live = 0, calls = 0;  // not flushed yet
  // limit of unflushed live bytes: 0 before the thread's first flush and after its end
  int64_t most = 0;
  bool will_settle = false;  // flushes at the thread's end

  static constexpr int64_t usual_most = 64 << 10, most_calls = 1024;
};
extern constinit thread_local Account account;

void settle();  // flushes the counters of the calling thread

inline void count_allocated(size_t bytes) {
  ++account.calls;
  account.live += static_cast<int64_t>(bytes);
  if (account.live > account.most || account.calls == Account::most_calls) settle();
}
inline void count_freed(size_t bytes) {
  account.live -= static_cast<int64_t>(bytes);
  if (account.live < -account.most) settle();
}

struct Totals {
  int64_t live, peak, allocations;
};
Totals totals();  // flushes the calling thread's counters first

}  // namespace slope::memory
