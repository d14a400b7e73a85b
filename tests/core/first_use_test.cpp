#include <slope/core/memory/first_use.h>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#ifndef SLOPE_PLAIN
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <thread>
#endif

using namespace slope;

namespace {

int attempts = 0;
std::string made_at_the_third_attempt() {
  if (++attempts < 3) throw std::runtime_error("not yet");
  return "made";
}

}  // namespace

TEST_CASE("first use: a value is made once, after attempts that threw") {
  for (int i = 0; i < 2; ++i) CHECK_THROWS(made_once<made_at_the_third_attempt>());
  const std::string& made = made_once<made_at_the_third_attempt>();
  CHECK(made == "made");
  CHECK(&made == &made_once<made_at_the_third_attempt>());
  CHECK(attempts == 3);
}

#ifndef SLOPE_PLAIN
namespace {

std::atomic<bool> is_making{false}, may_end{false};
int made_slowly() {
  is_making = true;
  while (!may_end) std::this_thread::yield();
  return 5;
}

}  // namespace

TEST_CASE("first use: a child forked while another thread makes the value makes its own") {
  std::thread other([] { (void)made_once<made_slowly>(); });
  while (!is_making) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends one that waits for ever
    may_end = true;
    _exit(made_once<made_slowly>() == 5 ? 0 : 1);
  }
  may_end = true;
  other.join();
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(made_once<made_slowly>() == 5);
}
#endif
