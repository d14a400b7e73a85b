#include <slope/core/error.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/memory/first_use.h>
#include <slope/core/product/bf16_unit.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#if defined(SLOPE_X86_VARIANTS)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace slope {

const char* name(Bf16Unit unit) {
  constexpr const char* names[] = {"f32 products of rounded operands", "AVX512-BF16", "AMX"};
  return names[static_cast<int>(unit)];
}

namespace {

#if defined(SLOPE_X86_VARIANTS)
// Leaf 7 of cpuid: extended features.
bool has_feature(uint32_t subleaf, int reg, int bit) {
  uint32_t r[4];  // eax, ebx, ecx, edx
  return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[reg] >> bit & 1);
}

// Linux lets a process use the tiles' 8 KB of state only after a request.
bool tiles_granted() {
#if defined(__linux__)
  constexpr int request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}

Bf16Support supported() {
  constexpr int eax = 0, edx = 3, amx_bf16 = 22, amx_tile = 24, avx512_bf16 = 5;
  Bf16Support s{.intel = cpu_is_intel()};
  s.avx512 = cpu_isa() == Isa::v4 && has_feature(1, eax, avx512_bf16);
  s.amx = s.avx512 && has_feature(0, edx, amx_tile) && has_feature(0, edx, amx_bf16);
  s.amx_granted = s.amx && tiles_granted();
  return s;
}
#else
Bf16Support supported() { return {}; }
#endif

Bf16Unit unit_named(std::string_view word) {
  for (const auto& [known, unit] :
       {std::pair{"none", Bf16Unit::none}, {"avx512", Bf16Unit::avx512}, {"amx", Bf16Unit::amx}})
    if (word == known) return unit;
  throw UsageError(fmt::format("SLOPE_BF16={}: expected none, avx512 or amx", word));
}

}  // namespace

const Bf16Support& bf16_support() { return made_once<supported>(); }

Bf16Choice choose_bf16_unit(const char* asked, const Bf16Support& support) {
  const Bf16Unit without_tiles =
      support.avx512 && !support.intel ? Bf16Unit::avx512 : Bf16Unit::none;
  const Bf16Unit wanted = asked ? unit_named(asked) : support.amx ? Bf16Unit::amx : without_tiles;
  const bool refused = wanted == Bf16Unit::amx && support.amx && !support.amx_granted;
  SLOPE_CHECK_AS(UsageError, refused || support.offers(wanted),
                 "SLOPE_BF16={}: this CPU or build has no {}", asked, name(wanted));
  const Bf16Unit unit = refused ? without_tiles : wanted;
  if (unit == Bf16Unit::none)
    return {unit, fmt::format("bf16: {}; {} are used instead, which is not faster than f32",
                              refused ? "the system refuses AMX's tiles"
                                      : "no unit for it is in use on this CPU",
                              name(unit))};
  if (!refused) return {unit, ""};
  return {unit,
          fmt::format("bf16: the system refuses AMX's tiles; {} is used instead", name(unit))};
}

static Bf16Choice choose_for_cpu() {
  return choose_bf16_unit(std::getenv("SLOPE_BF16"), bf16_support());
}
const Bf16Choice& bf16_choice() { return made_once<choose_for_cpu>(); }

}  // namespace slope
