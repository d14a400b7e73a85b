// The one main of every test executable: doctest's. SLOPE_TEST_ISA=v3 or portable runs the tests with the kernels of an older processor,
// and says "skipped" where the CPU has none older than its own by that name: ctest runs them without the variable too.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) try {
  if (const char* older = std::getenv("SLOPE_TEST_ISA")) {
    const std::string_view best = name(slope::best_isa());
    if (older == best || best == "portable") {
      std::printf("skipped: the kernels of this CPU are %s, so %s is none that is older\n", best.data(), older);
      return 0;
    }
    setenv("SLOPE_ISA", older, 1);
    SLOPE_CHECK(older == std::string_view(name(slope::cpu_isa())), "SLOPE_TEST_ISA={}: the kernels were chosen before main", older);
  }
  return doctest::Context(argc, argv).run();
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
