#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>

#include <cstdlib>
#include <cstring>

namespace slope {

const char* name(Isa isa) {
  constexpr const char* names[] = {"portable", "v3", "v4"};
  return names[static_cast<int>(isa)];
}

Isa best_isa() {
#if defined(SLOPE_X86_VARIANTS)
  __builtin_cpu_init();
  const bool is_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                     __builtin_cpu_supports("bmi2");
  const bool is_v4 = is_v3 && __builtin_cpu_supports("avx512f") &&
                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  return is_v4 ? Isa::v4 : is_v3 ? Isa::v3 : Isa::portable;
#else
  return Isa::portable;
#endif
}

static Isa choose_isa() {
  const Isa best = best_isa();
  const char* asked = std::getenv("SLOPE_ISA");
  if (!asked) return best;
  for (Isa isa : {Isa::portable, Isa::v3, Isa::v4})
    if (std::strcmp(asked, name(isa)) == 0) {
      SLOPE_CHECK_AS(UsageError, isa <= best, "SLOPE_ISA={}: this CPU and build offer at most {}",
                     asked, name(best));
      return isa;
    }
  throw UsageError(fmt::format("SLOPE_ISA={}: expected portable, v3 or v4", asked));
}

Isa cpu_isa() { return made_once<choose_isa>(); }

bool cpu_is_intel() {
#if defined(SLOPE_X86_VARIANTS)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

}  // namespace slope
