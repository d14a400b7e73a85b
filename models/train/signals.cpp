#include <slope/models/train/signals.h>

#include <unistd.h>
#include <csignal>
#include <cstddef>

namespace slope::train {

namespace {
volatile std::sig_atomic_t signal_number = 0;
constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP};
struct sigaction before[3];

void note(int number) {
  if (signal_number) _exit(128 + number);
  signal_number = number;
}
}  // namespace

SignalGuard::SignalGuard() {
  signal_number = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (size_t i = 0; i < 3; ++i) {
    sigaction(caught[i], nullptr, &before[i]);
    if (caught[i] != SIGHUP || before[i].sa_handler != SIG_IGN) sigaction(caught[i], &action, nullptr);  // nohup asks to go on
  }
}

SignalGuard::~SignalGuard() {
  for (size_t i = 0; i < 3; ++i) sigaction(caught[i], &before[i], nullptr);
}

int SignalGuard::received() { return signal_number; }

}  // namespace slope::train
