// Ctrl-C, SIGTERM and SIGHUP as a flag that is read between the modules of a forward and the nodes
// of a backward pass. A second Ctrl-C ends the process at once; no other signal does. A signal that
// the process inherited as ignored stays ignored.
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

// For work that takes long, between its parts: throws Interrupted if a signal has been received and
// a guard waits for it.
void end_if_interrupted();

}  // namespace slope::train
