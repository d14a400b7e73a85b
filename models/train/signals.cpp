#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>
#include <slope/models/train/signals.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <mutex>

namespace slope::train {

namespace {

// the first signal received; the number of SIGINTs (Ctrl-C)
std::atomic<int> signal_number{0}, interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);
constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> guards{0};
int keepers = 0;
struct sigaction before[3];

void restore() {
  for (size_t i = 0; i < 3; ++i) sigaction(caught[i], &before[i], nullptr);
}

// guards the three variables above
struct GuardsMutex : Mutex {
  // A forked child does not have the threads that would answer a signal: it ends, as without
  // guards.
  void unlock_in_child() {
    if (guards.exchange(0) > 0) restore();
    unlock();
  }
};
GuardsMutex mutex;
[[maybe_unused]] const bool signals_are_held = hold_over_fork(ForkOrder::tables, mutex);

// A closing terminal sends SIGHUP twice, and a supervisor SIGTERM first: only a second Ctrl-C means
// that the user does not want to save.
void note(int number) {
  if (number == SIGINT && interrupts.fetch_add(1) > 0) _exit(128 + number);
  int none = 0;
  signal_number.compare_exchange_strong(none, number);
}

void forget() { signal_number = interrupts = 0; }

}  // namespace

SignalGuard::SignalGuard() {
  const std::lock_guard lock(mutex);
  if (guards++ > 0) return;
  if (keepers == 0) forget();
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < 3; ++i) {
    sigaction(caught[i], nullptr, &before[i]);
    // a signal that nohup, or a shell's &, told the process to ignore stays ignored
    if (before[i].sa_handler != SIG_IGN) sigaction(caught[i], &action, nullptr);
  }
}

SignalGuard::~SignalGuard() {
  const std::lock_guard lock(mutex);
  if (guards == 0 || --guards > 0) return;  // 0: in a forked child
  restore();
}

int SignalGuard::received() { return signal_number; }
bool SignalGuard::exists() { return guards > 0; }

KeepSignal::KeepSignal() {
  const std::lock_guard lock(mutex);
  if (keepers++ == 0 && guards == 0) forget();
}

KeepSignal::~KeepSignal() {
  const std::lock_guard lock(mutex);
  --keepers;
}

void end_if_interrupted() {
  if (guards > 0 && signal_number != 0) throw Interrupted();
}

}  // namespace slope::train
