// What a tensor may consist of: element types, and layouts that lie within their storage.
#include <doctest/doctest.h>
#include <slope/core/tensor/factories.h>

#include <cmath>

using namespace slope;

namespace {

template <class T>
constexpr bool is_element = requires(const Tensor& x, const std::vector<T>& values) {
  dtype_of<T>;
  x.data<T>();
  x.write<T>();
  x.item<T>();
  from_vector(values, {1});
};
template <class T>
constexpr bool is_any_element = requires {
  dtype_of<T>;
}
|| requires(const Tensor& x) { x.data<T>(); }
|| requires(const std::vector<T>& values) { from_vector(values, {1}); };
template <class T>
constexpr bool is_literal = requires(T value) {
  tensor(value);
};

static_assert(is_element<float> && is_element<double> && is_element<int64_t> && is_element<bool>);
static_assert(!is_any_element<int> && !is_any_element<char> && !is_any_element<size_t>);
static_assert(is_literal<int> && is_literal<int64_t> && is_literal<float> && is_literal<double> &&
              is_literal<bool>);
static_assert(!is_literal<const char*> && !is_literal<const char (&)[5]> && !is_literal<int*>);

}  // namespace

TEST_CASE("tensor: its layout lies within its storage, or IndexError") {
  const int64_t huge = int64_t{1} << 62;
  const Storage six = zeros({6}).storage();
  CHECK(Tensor(six, Layout{{2, 3}, {1, 2}, 0}, f32).is_contiguous() == false);
  CHECK(Tensor(six, Layout{{4}, {1}, 2}, f32).numel() == 4);
  CHECK(Tensor(six, Layout{{huge}, {0}, 5}, f32).numel() == huge);
  CHECK(Tensor(six, Layout{{3, 0}, {1, 1}, 6}, f32).numel() == 0);
  const std::vector<Layout> outside = {
      {{7}, {1}, 0},                       // too long
      {{1}, {1}, 6},                       // begins after the storage
      {{1}, {1}, -1},                      // begins before the storage
      {{4}, {-1}, 3},                      // runs backwards
      {{3, 2}, {-1, 3}, 2},                // one dim runs backwards
      {{2, 3}, {1}, 0},                    // a stride is missing
      {{2}, {1, 1}, 0},                    // a stride too many
      {{-1}, {1}, 0},                      // a negative size
      {{3}, {huge}, 0},                    // (3 - 1) 2^62 overflows
      {{2, 2, 2}, {huge, huge, huge}, 0},  // a sum that overflows
      {{huge, 4}, {0, 0}, 0},              // the number of elements overflows
      {{2}, {1}, INT64_MAX},
  };
  for (const Layout& layout : outside) {
    CAPTURE(to_string(layout.shape));
    CAPTURE(to_string(layout.strides));
    CHECK_THROWS_AS(Tensor(six, layout, f32), IndexError);
  }
  CHECK_THROWS_AS(Tensor(six, Layout{{4}, {1}, 0}, f64), IndexError);
  CHECK_THROWS_AS(Tensor(Storage(), Layout{{1}, {1}, 0}, f32), IndexError);
}

TEST_CASE("tensor: a size is that of a dim, and without dims there is none") {
  CHECK(zeros({2, 3}).size(-1) == 3);
  for (const int64_t dim : {0, -1})
    CHECK_THROWS_WITH_AS((void)zeros({}).size(dim), "size: a tensor of rank 0 has no dims",
                         IndexError);
}

TEST_CASE("dtype: what an int64 cannot hold is refused") {
  CHECK(as_element<int64_t>(-0x1p63) == INT64_MIN);
  CHECK(as_element<int64_t>(-2.75) == -2);
  for (const double value : std::vector<double>{0x1p63, -0x1.0000000000001p63, 1e300, INFINITY,
                                                -INFINITY, std::nan("")}) {
    CAPTURE(value);
    CHECK_THROWS_AS((void)full({2}, value, i64), DTypeError);
    CHECK_THROWS_AS((void)tensor({value}, i64), DTypeError);
  }
  CHECK_THROWS_AS((void)linspace(0, 1e300, 3, i64), DTypeError);
  CHECK_THROWS_WITH_AS((void)full({2}, INFINITY, i64), "fill: inf does not fit in int64",
                       DTypeError);
  CHECK_THROWS_WITH_AS((void)tensor({1e300}, i64), "tensor: 1e+300 does not fit in int64",
                       DTypeError);
  CHECK_THROWS_WITH_AS((void)arange(0, 1e300, 1e299, i64), "arange: 1e+299 does not fit in int64",
                       DTypeError);
  CHECK(full({1}, INFINITY, boolean).item() == 1);
  CHECK(tensor({int64_t{9007199254740993}, 1}).data<int64_t>()[0] == 9007199254740993);
}

TEST_CASE("dtype: a finite number that would become inf is refused") {
  CHECK_THROWS_WITH_AS((void)full({2}, 1e39), "fill: 1e+39 does not fit in float32", DTypeError);
  CHECK_THROWS_WITH_AS((void)full_like(ones({2}, bf16), -3.4e38),
                       "fill: -3.4e+38 does not fit in bfloat16", DTypeError);
  CHECK(full({1}, 3.4e38).item() == static_cast<double>(3.4e38f));
  CHECK(full({1}, 1e39, f64).item() == 1e39);
  for (const DType dtype : {f32, f64, bf16}) CHECK(full({1}, -INFINITY, dtype).item() == -INFINITY);
}
