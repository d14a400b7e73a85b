// Ctrl-C, SIGTERM and SIGHUP as a flag that is read between modules (forward pass) and between
// nodes (backward pass). A second Ctrl-C ends the process at once; no other signal does. A signal
// that the process inherited as ignored stays ignored.
#pragma once

namespace slope::train {

// The first guard of a process installs the handlers and forgets earlier signals; the last one
// restores the old handlers.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  static int received();  // the signal's number, or 0
};

struct Interrupted {};

// Called between the parts of long work: throws Interrupted if a signal was received and a guard
// exists.
void end_if_interrupted();

}  // namespace slope::train
