// Fast loops, compiled once for each instruction set and chosen at start.
//
// A group of loops is an aggregate of function pointers (Accumulate<T>, SoftmaxKernels<T>, …),
// declared in a header of these folders. Its .cpp file defines the loops in an anonymous namespace
// (so that no variant's code can be linked into another's) and hands them out:
//   SLOPE_KERNELS(Accumulate, accumulate<T>)
// Callers write kernels<Accumulate<T>>().add(…). Loops take raw pointers and sizes, never allocate,
// never start threads. Rules for the loops: plain `#pragma omp simd`, no calls but those of
// kernels/math.h, sums in a fixed number of lanes (kernels/lanes.h), so that a value depends on its
// operands, not on its position or on how a loop was cut.
#pragma once

#include <slope/core/memory/first_use.h>

namespace slope {

enum class Isa { portable, v3, v4 };  // v3: AVX2 and FMA; v4: AVX-512 (x86-64 psABI levels)

Isa best_isa();  // the best that this CPU offers and this build has
// the one in use: the best, unless SLOPE_ISA=portable|v3|v4 in the environment restricts it
Isa cpu_isa();
const char* name(Isa isa);
bool cpu_is_intel();

template <class Group, Isa isa>
Group variant();  // defined by the group's file, once for each instruction set

// These macros define a group's variant for the instruction set that is being compiled, from the
// group's members in order: for T = float and double, for one number type, for a group that is not
// a template.
#define SLOPE_KERNELS(Group, ...)             \
  SLOPE_KERNELS_OF(Group, float, __VA_ARGS__) \
  SLOPE_KERNELS_OF(Group, double, __VA_ARGS__)
#define SLOPE_KERNELS_OF(Group, Number, ...)               \
  template <>                                              \
  Group<Number> variant<Group<Number>, Isa::SLOPE_ISA>() { \
    using T = Number;                                      \
    return {__VA_ARGS__};                                  \
  }
#define SLOPE_KERNEL(Group, ...)           \
  template <>                              \
  Group variant<Group, Isa::SLOPE_ISA>() { \
    return {__VA_ARGS__};                  \
  }

template <class Group>
Group variant_for_cpu() {
#if defined(SLOPE_X86_VARIANTS)
  if (cpu_isa() == Isa::v4) return variant<Group, Isa::v4>();
  if (cpu_isa() == Isa::v3) return variant<Group, Isa::v3>();
#endif
  return variant<Group, Isa::portable>();
}
template <class Group>
const Group& kernels() {
  return made_once<variant_for_cpu<Group>>();
}

}  // namespace slope
