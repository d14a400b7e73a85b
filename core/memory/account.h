// How much is allocated: what each thread has allocated and freed since it last told the others,
// and the totals of what was told. To add to a total takes as long as all the rest of a small
// allocation. Private to core/memory/memory.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slope::memory {

// Trivially destroyed, so that what a thread's own variables free at its end counts too.
struct Account {
  int64_t live = 0, calls = 0;  // not told yet
  // bytes that it keeps to itself: none before it has told anything, nor after the thread's end
  int64_t most = 0;
  bool will_settle = false;  // at the thread's end

  static constexpr int64_t usual_most = 64 << 10, most_calls = 1024;
};
extern constinit thread_local Account account;

void settle();  // tells the totals what the calling thread has not told yet

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
Totals totals();  // with all of the calling thread's

}  // namespace slope::memory
