// The signals that end a run: which of them are caught, for how long, and that handlers which were
// there before come back.
#include <doctest/doctest.h>
#include <slope/models/train/signals.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <initializer_list>
#include <optional>

using slope::train::KeepSignal, slope::train::SignalGuard;

TEST_CASE(
    "signals: of two guards the last one puts the handlers back, and only a second Ctrl-C would "
    "end the process") {
  struct sigaction before, now;
  sigaction(SIGINT, nullptr, &before);
  {
    const SignalGuard first;
    {
      const SignalGuard second;
      std::raise(SIGTERM);
      std::raise(SIGHUP);
      std::raise(SIGHUP);
      std::raise(SIGTERM);
      std::raise(SIGINT);
      CHECK(SignalGuard::received() == SIGTERM);
    }
    sigaction(SIGINT, nullptr, &now);
    CHECK((now.sa_handler != before.sa_handler));
    const SignalGuard third;
    CHECK(SignalGuard::received() == SIGTERM);  // a later guard keeps the signal
  }
  sigaction(SIGINT, nullptr, &now);
  CHECK((now.sa_handler == before.sa_handler));
  const SignalGuard fresh;
  CHECK(SignalGuard::received() == 0);
}

TEST_CASE("signals: one is kept for later guards, and the handlers are put back meanwhile") {
  struct sigaction before, now;
  sigaction(SIGTERM, nullptr, &before);
  {
    const KeepSignal keep;
    CHECK(SignalGuard::received() == 0);
    {
      const SignalGuard guard;
      CHECK(SignalGuard::exists());
      std::raise(SIGTERM);
    }
    CHECK(!SignalGuard::exists());
    sigaction(SIGTERM, nullptr, &now);
    CHECK((now.sa_handler == before.sa_handler));
    const SignalGuard later;
    CHECK(SignalGuard::received() == SIGTERM);
  }
  const SignalGuard fresh;
  CHECK(SignalGuard::received() == 0);
}

TEST_CASE("signals: a child that is forked under a guard ends by a signal") {
  std::optional<SignalGuard> guard(std::in_place);
  const pid_t child = fork();
  if (child == 0) {
    guard.reset();  // the parent's: nothing to put back
    bool good = !SignalGuard::exists();
    {
      const SignalGuard own;
      good &= SignalGuard::exists();
    }
    if (!good || SignalGuard::exists()) _exit(1);
    std::raise(SIGHUP);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP));
  CHECK(SignalGuard::exists());
}

TEST_CASE("signals: one that was ignored before stays ignored") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto before = std::signal(number, SIG_IGN);
    {
      const SignalGuard guard;
      std::raise(number);
      CHECK(SignalGuard::received() == 0);
    }
    std::signal(number, before);
  }
}
