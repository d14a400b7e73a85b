// The main of every test executable: doctest's. With --older-isa it runs only if SLOPE_ISA names
// kernels older than the CPU's own, so that ctest can test those too.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <slope/core/kernels/isa.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  const char* asked = std::getenv("SLOPE_ISA");
  if (asked && argc > 1 && std::string_view(argv[1]) == "--older-isa") {
    const std::string_view best = name(slope::best_isa());
    if (asked == best || best == "portable") {
      std::printf("skipped: the kernels of this CPU are %s, so %s is none that is older\n",
                  best.data(), asked);
      return 0;
    }
  }
  return doctest::Context(argc, argv).run();
}
