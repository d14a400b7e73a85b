// Threads that the system refuses: fewer threads, or an error if there would be none.
#include <slope/core/loops/workers.h>
#ifdef SLOPE_OPENMP
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace slope;

namespace {

// Limits the address space to its present size, so that a thread gets only a stack that an
// ended one has left.
class NoMoreAddresses {
 public:
  NoMoreAddresses() {
    getrlimit(RLIMIT_AS, &before_);
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit now{pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)), before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~NoMoreAddresses() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("workers: sizes of stacks as OpenMP reads them") {
  CHECK(stack_size("16") == 16 << 10);
  CHECK(stack_size("16B") == 16);
  CHECK(stack_size(" 2 m ") == 2 << 20);
  CHECK(stack_size("1G") == 1 << 30);
  for (const char* text : {"", " ", "M", "-1", "1.5M", "16KB", "99999999999G", "0x10"})
    CHECK_MESSAGE(!stack_size(text), text);
}

TEST_CASE("workers: as many as are wanted, where nothing is limited") {
  Workers workers;
  for (const int wanted : {1, 3, 2, 5, 1, 5}) {
    CHECK(workers.granted(wanted) == wanted);
    if (wanted > 1) CHECK(workers.running() == wanted);  // one thread alone runs without OpenMP
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)  // sanitizers need more addresses
TEST_CASE("workers: where the system grants few, those; where it grants none, an error") {
  constexpr int many = 500;  // more than the C library keeps stacks of ended threads for
  Workers fresh, other, running;
  CHECK(running.granted(2) == 2);
  { Workers().granted(5); }  // leaves stacks, which the threads below can use
  int few = 0;
  {
    const NoMoreAddresses limit;
    few = fresh.granted(many);  // and prints a line on standard error
    CHECK(few > 1);
    CHECK(few < many);
    std::atomic<bool> end{false};
    std::vector<std::jthread> all;  // that the system grants
    all.reserve(many);
    try {
      for (int i = 0; i < many; ++i) all.emplace_back([&end] { end.wait(false); });
    } catch (const std::system_error&) {
    }
    CHECK_THROWS_AS((void)other.granted(many), IoError);
    CHECK(running.granted(many) == 2);
    end = true;
    end.notify_all();
  }
  CHECK(fresh.granted(many) == few);
  CHECK(running.granted(many) == 2);
  CHECK(running.granted(1) == 1);
  CHECK(other.granted(3) == 3);
}
#endif
#endif
