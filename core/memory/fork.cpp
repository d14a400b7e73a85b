#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>

#if !defined(SLOPE_PLAIN)
#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <iterator>

namespace slope {

namespace {

struct ForkLocks {
  ForkLock locks[8];
  size_t count;
};
// by ForkOrder; no memory of the heap, as main() is to come
constinit ForkLocks fork_locks[3] = {};
// guards them, and lets one thread fork at a time
constinit Mutex fork_mutex;

template <class F>
void for_each_fork_lock(F f) {
  for (const ForkLocks& of_order : fork_locks)
    for (size_t i = 0; i < of_order.count; ++i) f(of_order.locks[i]);
}

void take() {
  fork_mutex.lock();
  for_each_fork_lock([](const ForkLock& lock) { lock.take(lock.lock); });
}
void release() {
  for_each_fork_lock([](const ForkLock& lock) { lock.release(lock.lock); });
  fork_mutex.unlock();
}
void release_in_child() {
  for_each_fork_lock([](const ForkLock& lock) { lock.release_in_child(lock.lock); });
  fork_mutex.unlock();
}

}  // namespace

bool hold_over_fork(ForkOrder order, const ForkLock& lock) {
  static const int failed = pthread_atfork(take, release, release_in_child);
  const Lock guard(fork_mutex);
  auto& [locks, count] = fork_locks[static_cast<int>(order)];
  if (failed || count == std::size(locks)) std::abort();  // no memory; more locks than expected
  locks[count++] = lock;
  return true;
}

}  // namespace slope
#endif
