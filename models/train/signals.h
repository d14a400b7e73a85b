// Ctrl-C, SIGTERM and SIGHUP as a flag that the trainer reads between steps; a second one ends the process at once.
#pragma once

namespace slope::train {

class SignalGuard {  // handlers are installed while it lives, and put back after
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  static int received();  // the signal's number, or 0
};

}  // namespace slope::train
