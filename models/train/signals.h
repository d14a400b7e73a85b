// Ctrl-C, SIGTERM and SIGHUP as a flag that is read between modules (forward pass) and between
// nodes (backward pass). A second Ctrl-C ends the process at once; no other signal does. A signal
// that the process inherited as ignored stays ignored.
#pragma once

namespace slope::train {

// The first guard of a process installs the handlers and, unless there is a KeepSignal, forgets
// earlier signals; the last one restores the old handlers. A forked child has no guards.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  static int received();  // the signal's number, or 0
  static bool exists();
};

// Keeps the signal that a guard received for the guards to come, so that runs one after another or
// side by side all end. Without a guard a signal ends the process, as if this did not exist.
class KeepSignal {
 public:
  KeepSignal();  // forgets earlier signals
  ~KeepSignal();
  KeepSignal(const KeepSignal&) = delete;
  KeepSignal& operator=(const KeepSignal&) = delete;
};

struct Interrupted {};

// Called between the parts of long work: throws Interrupted if a signal was received and a guard
// exists.
void end_if_interrupted();

}  // namespace slope::train
