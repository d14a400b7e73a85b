#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>

#if !defined(SLOPE_PLAIN)
#include <pthread.h>

#include <vector>

namespace slope {

namespace {

struct ForkLocks {
  Mutex mutex;  // guards the list, and lets one thread fork at a time
  std::vector<ForkLock> of[3];
};
ForkLocks& fork_locks() {  // never destroyed: a child may be made after main
  static auto* const instance = new ForkLocks;
  return *instance;
}

void take_fork_locks() {
  fork_locks().mutex.lock();
  for (const auto& locks : fork_locks().of)
    for (const ForkLock& lock : locks) lock.take(lock.lock);
}
void release_fork_locks() {
  for (const auto& locks : fork_locks().of)
    for (const ForkLock& lock : locks) lock.release(lock.lock);
  fork_locks().mutex.unlock();
}

}  // namespace

bool hold_over_fork(ForkOrder order, const ForkLock& lock) {
  static const int failed = pthread_atfork(take_fork_locks, release_fork_locks, release_fork_locks);
  const Lock guard(fork_locks().mutex);
  fork_locks().of[static_cast<int>(order)].push_back(lock);
  return !failed;
}

}  // namespace slope
#endif
