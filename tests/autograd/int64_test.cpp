// Numbers that a double cannot hold, beside tensors of integers.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>

using namespace slope;

TEST_CASE("int64: numbers of type int64_t are exact beside integers") {
  const int64_t odd = (int64_t{1} << 53) + 1;  // not representable as a double
  const Tensor x = tensor({odd}), one = tensor({1});
  const auto is = [](const Tensor& y, int64_t expected) {
    return y.dtype() == i64 && y.data<int64_t>()[0] == expected;
  };
  CHECK(all(x == odd));
  CHECK(!any(x != odd));
  CHECK(!any(x < odd));
  CHECK(!any(x > odd));
  CHECK(all(x <= odd));
  CHECK(all(x >= odd));
  CHECK(!any(x == odd - 1));
  CHECK(!any(tensor({INT64_MAX - 1}) == INT64_MAX));
  for (const Tensor& y :
       {one * odd, odd * one, mul(one, odd), one - 1 + odd, odd + (one - 1), add(one - 1, odd),
        odd - (one - 1), -(one - 1 - odd), full({1}, odd, i64), full_like(one, odd),
        masked_fill(one, tensor({true}), odd), one.masked_fill(tensor({true}), odd),
        pow(x, int64_t{1}), x.pow(1), sub(one - 1, -odd), clamp(one, odd, {}), one.clamp(odd, odd),
        clamp(x + 5, {}, odd), pad(one, {1, -1}, odd)})
    CHECK(is(y, odd));
  CHECK(is(tensor({true}) * odd, odd));
  CHECK(all(clamp(tensor({INT64_MIN, INT64_MAX}), INT64_MIN, INT64_MAX) ==
            tensor({INT64_MIN, INT64_MAX})));
  CHECK(is(tensor({int64_t{-1}}) - INT64_MIN, INT64_MAX));
  CHECK(full({1}, odd).dtype() == f32);
  const Tensor z = tensor({2.0}).set_requires_grad();
  (z * int64_t{3} - int64_t{1}).backward();  // a number like others
  CHECK(z.grad().item() == 3);
  CHECK((one * 1e18).dtype() == f32);
  CHECK((one * 0.5).dtype() == f32);
  CHECK((one * 4503599627370496.0).dtype() == i64);
}

TEST_CASE("int64: arange counts exactly") {
  const int64_t odd = (int64_t{1} << 53) + 1;
  CHECK(all(arange(odd, odd + 3, 1, i64) == tensor({odd, odd + 1, odd + 2})));
  CHECK(all(arange(odd, odd - 3, -2, i64) == tensor({odd, odd - 2})));
  CHECK(all(arange(INT64_MIN, INT64_MAX, INT64_MAX, i64) ==
            tensor({INT64_MIN, int64_t{-1}, INT64_MAX - 1})));
  CHECK_THROWS_WITH_AS((void)arange(odd, odd - 1, 1, i64), doctest::Contains("does not lead"),
                       ShapeError);
  CHECK_THROWS_AS((void)arange(INT64_MAX, INT64_MAX - 100, 1, i64), ShapeError);
}
