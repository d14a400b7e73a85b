// The CPU's unit that multiplies bf16 numbers: none (then f32 products of rounded operands are
// used), vdpbf16ps, or AMX's tiles.
#pragma once

#include <string>

namespace slope {

enum class Bf16Unit { none, avx512, amx };

const char* name(Bf16Unit unit);

// What the CPU and the build support, and whether the system lets a process use the tiles.
struct Bf16Support {
  bool avx512 = false, amx = false, amx_granted = false;
  bool intel = false;  // its vdpbf16ps has half the rate of its f32 multiply-adds
  bool offers(Bf16Unit unit) const {
    return unit == Bf16Unit::none || (unit == Bf16Unit::avx512 ? avx512 : amx && amx_granted);
  }
};
// Requests the tiles from the system, once.
const Bf16Support& bf16_support();

struct Bf16Choice {
  Bf16Unit unit;
  // what a user should know before training with it; empty if nothing
  std::string note;
};
// `asked` is none, avx512 or amx; null: the fastest. UsageError for another word or a unit that the
// CPU lacks. If the system refuses the tiles, the next unit is used, with a note.
Bf16Choice choose_bf16_unit(const char* asked, const Bf16Support& support);

// The choice for SLOPE_BF16 in the environment, made at the first call.
const Bf16Choice& bf16_choice();
inline Bf16Unit bf16_unit() { return bf16_choice().unit; }

}  // namespace slope
