#include <slope/core/memory/account.h>
#include <slope/core/memory/memory.h>

#include <atomic>
#include <utility>

namespace slope::memory {

namespace {
std::atomic<int64_t> live{0}, peak{0}, allocations{0};

struct SettleAtEnd {
  ~SettleAtEnd() {
    account.most = 0;
    settle();
  }
};
}  // namespace

constinit thread_local Account account;

void settle() {
  if (!account.will_settle) {
    account.will_settle = true;
    account.most = Account::usual_most;
    static thread_local const SettleAtEnd at_end;
  }
  allocations.fetch_add(std::exchange(account.calls, 0), std::memory_order_relaxed);
  const int64_t change = std::exchange(account.live, 0),
                now = live.fetch_add(change, std::memory_order_relaxed) + change;
  int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

Totals totals() {
  settle();
  return {live.load(), peak.load(), allocations.load()};
}

void reset_peak() {
  settle();
  peak = live.load();
}

}  // namespace slope::memory
