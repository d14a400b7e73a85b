// How a team of threads shrinks next to other processes and grows again, with made-up times.
#include <doctest/doctest.h>
#include <slope/core/loops/team.h>

using namespace slope;
using std::chrono::milliseconds;

TEST_CASE(
    "team: full while threads wait little, smaller while they stall, full again some time after") {
  Team team(2);
  Clock::time_point now{};
  const auto loops = [&](milliseconds each, milliseconds stalled, int n) {
    for (int i = 0; i < n; ++i) team.note(each, stalled, now += each);
  };
  loops(milliseconds(4), milliseconds(0), 50);
  CHECK(team.size(now) == 2);
  loops(milliseconds(4), milliseconds(2), 10);
  CHECK(team.size(now) == 1);
  CHECK(team.size(now + milliseconds(10)) == 1);
  now += milliseconds(1000);
  CHECK(team.size(now) == 2);
  loops(milliseconds(4), milliseconds(0), 50);
  CHECK(team.size(now) == 2);
}

TEST_CASE("team: grows back one by one where fewer threads do not stall") {
  Team team(4);
  Clock::time_point now{};
  for (int i = 0; i < 200; ++i) {
    const int size = team.size(now);
    team.note(milliseconds(10), milliseconds(i < 40 ? 9 : 0), now += milliseconds(10));
    if (i == 39) CHECK(size <= 2);
  }
  CHECK(team.size(now) == 4);
}

TEST_CASE(
    "team: tries ever more rarely while threads stall each time, and never has less than one") {
  Team team(3);
  Clock::time_point now{};
  int tries = 0;
  for (int i = 0; i < 3000; ++i) {  // 30 seconds
    const int size = team.size(now);
    CHECK(size >= 1);
    tries += size == 3;
    team.note(milliseconds(10), milliseconds(9), now += milliseconds(10));
  }
  CHECK(team.size(now) < 3);
  CHECK(tries < 300);
}
