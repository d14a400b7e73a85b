// Which unit multiplies bf16 numbers, and what is reported about it, for each kind of CPU and
// system.
#include <doctest/doctest.h>
#include <slope/core/error.h>
#include <slope/core/product/bf16_unit.h>

using namespace slope;

TEST_CASE("bf16: the unit of each CPU") {
  const Bf16Support old, zen{.avx512 = true}, intel{.avx512 = true, .intel = true},
      tiles{.avx512 = true, .amx = true, .amx_granted = true, .intel = true},
      refused{.avx512 = true, .amx = true, .intel = true}, refused_zen{.avx512 = true, .amx = true};
  const auto unit = [](const char* asked, const Bf16Support& support) {
    return choose_bf16_unit(asked, support).unit;
  };
  CHECK(unit(nullptr, old) == Bf16Unit::none);
  CHECK(unit(nullptr, zen) == Bf16Unit::avx512);
  CHECK(unit(nullptr, intel) == Bf16Unit::none);
  CHECK(unit("avx512", intel) == Bf16Unit::avx512);
  CHECK(unit("none", zen) == Bf16Unit::none);
  CHECK(unit(nullptr, tiles) == Bf16Unit::amx);
  CHECK(unit("avx512", tiles) == Bf16Unit::avx512);
  CHECK(unit(nullptr, refused) == Bf16Unit::none);
  CHECK(unit(nullptr, refused_zen) == Bf16Unit::avx512);
  CHECK(unit("amx", refused) == Bf16Unit::none);
  CHECK(unit("amx", refused_zen) == Bf16Unit::avx512);
}

TEST_CASE("bf16: what is said where the unit is missing or refused") {
  const auto note = [](const char* asked, const Bf16Support& support) {
    return choose_bf16_unit(asked, support).note;
  };
  const Bf16Support zen{.avx512 = true}, refused{.avx512 = true, .amx = true};
  CHECK(note(nullptr, zen).empty());
  CHECK(note("none", zen) ==
        "bf16: no unit for it is in use on this CPU; f32 products of rounded operands are used "
        "instead, which is not faster than f32");
  for (const char* asked : {static_cast<const char*>(nullptr), "amx"})
    CHECK(note(asked, refused) ==
          "bf16: the system refuses AMX's tiles; AVX512-BF16 is used instead");
  CHECK_THROWS_WITH_AS((void)choose_bf16_unit("amx", zen),
                       "SLOPE_BF16=amx: this CPU or build has no AMX", UsageError);
  CHECK_THROWS_WITH_AS((void)choose_bf16_unit("fast", zen),
                       "SLOPE_BF16=fast: expected none, avx512 or amx", UsageError);
}
