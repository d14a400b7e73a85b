#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#if defined(SLOPE_X86_VARIANTS)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

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

Isa cpu_isa() {
  static const Isa chosen = [] {
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
  }();
  return chosen;
}

bool cpu_is_intel() {
#if defined(SLOPE_X86_VARIANTS)
  __builtin_cpu_init();
  return __builtin_cpu_is("intel");
#else
  return false;
#endif
}

#if defined(SLOPE_X86_VARIANTS)
namespace {

// Leaf 7 of cpuid: extended features.
bool has_feature(uint32_t subleaf, int reg, int bit) {
  uint32_t r[4];  // eax, ebx, ecx, edx
  return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[reg] >> bit & 1);
}
bool has_vdpbf16ps() { return has_feature(1, 0, 5); }
bool has_tiles() { return has_feature(0, 3, 24) && has_feature(0, 3, 22); }  // AMX-TILE, AMX-BF16

// Linux lets a process use the tiles' 8 KB of state only after it has asked for them.
bool tiles_granted() {
#if defined(__linux__)
  constexpr int request_permission = 0x1023, tile_data = 18;
  static const bool granted = syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  return granted;
#else
  return false;
#endif
}

}  // namespace

bool offers(Bf16Unit unit) {
  if (unit == Bf16Unit::none) return true;
  if (cpu_isa() != Isa::v4 || !has_vdpbf16ps()) return false;
  return unit == Bf16Unit::avx512 || (has_tiles() && tiles_granted());
}
#else
bool offers(Bf16Unit unit) { return unit == Bf16Unit::none; }
#endif

const char* name(Bf16Unit unit) {
  constexpr const char* names[] = {"f32 products of rounded operands", "AVX512-BF16", "AMX"};
  return names[static_cast<int>(unit)];
}

Bf16Unit bf16_unit() {
  static const Bf16Unit chosen = [] {
    const char* asked = std::getenv("SLOPE_BF16");
    constexpr std::pair<const char*, Bf16Unit> units[] = {
        {"none", Bf16Unit::none}, {"avx512", Bf16Unit::avx512}, {"amx", Bf16Unit::amx}};
    for (const auto& [word, unit] : units)
      if (asked && std::strcmp(asked, word) == 0) {
        SLOPE_CHECK_AS(UsageError, offers(unit),
                       "SLOPE_BF16={}: this CPU, build or system has no {}", asked, name(unit));
        return unit;
      }
    SLOPE_CHECK_AS(UsageError, !asked, "SLOPE_BF16={}: expected none, avx512 or amx", asked);
    // Intel's vdpbf16ps has half the rate of its f32 multiply-adds. Tiles have to be asked for.
    return offers(Bf16Unit::avx512) && !cpu_is_intel() ? Bf16Unit::avx512 : Bf16Unit::none;
  }();
  return chosen;
}

}  // namespace slope
