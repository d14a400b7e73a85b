// Views as functions Layout -> Layout, compared with a walk over the elements.
#include <doctest/doctest.h>
#include <slope/core/tensor/layout.h>

#include <functional>
#include <vector>

using namespace slope;

namespace {

// The storage positions of a layout's elements in row-major order.
std::vector<int64_t> positions(const Layout& x) {
  std::vector<int64_t> result;
  const int64_t n = x.numel();
  for (int64_t e = 0; e < n; ++e) {
    int64_t at = x.offset, rest = e;
    for (int64_t d = x.rank() - 1; d >= 0; --d) {
      at += rest % x.shape[static_cast<size_t>(d)] * x.strides[static_cast<size_t>(d)];
      rest /= x.shape[static_cast<size_t>(d)];
    }
    result.push_back(at);
  }
  return result;
}

// Every shape of this many elements with up to `rank` dims.
void each_shape(int64_t n, size_t rank, const std::function<void(const Dims&)>& f) {
  const std::function<void(Dims, int64_t)> extend = [&](Dims shape, int64_t left) {
    if (left == 1) f(shape);
    if (shape.size() == rank) return;
    for (int64_t size = 1; size <= left; ++size)
      if (left % size == 0) {
        Dims longer = shape;
        longer.push_back(size);
        extend(longer, left / size);
      }
  };
  extend({}, n);
}

// Whether some strides of `shape` visit exactly these positions: the oracle of reshape. The first
// step along dim d gives its stride.
bool is_strided(const std::vector<int64_t>& where, const Dims& shape) {
  Layout guess{shape, Dims(shape.size(), 0), where[0]};
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d])
    if (shape[d] > 1) guess.strides[d] = where[static_cast<size_t>(step)] - where[0];
  return positions(guess) == where;
}

std::vector<Layout> layouts_of(const Dims& shape) {
  const Layout x = Layout::contiguous(shape);
  std::vector<Layout> result{x};
  for (int64_t a = 0; a < x.rank(); ++a) {
    for (int64_t b = a + 1; b < x.rank(); ++b) result.push_back(x.transpose(a, b));
    if (x.shape[static_cast<size_t>(a)] > 1) {
      result.push_back(x.slice(a, 0, INT64_MAX, 2));
      result.push_back(x.narrow(a, 1, x.shape[static_cast<size_t>(a)] - 1));
    }
    Dims wide = x.shape;
    if (wide[static_cast<size_t>(a)] == 1) {
      wide[static_cast<size_t>(a)] = 3;
      result.push_back(x.broadcast_to(wide));
    }
    result.push_back(x.unsqueeze(a).broadcast_to([&] {
      Dims repeated = x.shape;
      repeated.insert(static_cast<size_t>(a), 2);
      return repeated;
    }()));
  }
  return result;
}

}  // namespace

TEST_CASE("layout: reshape is a view exactly where strides can say it") {
  int64_t views = 0, copies = 0;
  for (const int64_t n : {1, 2, 4, 6, 8, 12})
    each_shape(n, 3, [&](const Dims& from) {
      for (const Layout& x : layouts_of(from)) {
        const std::vector<int64_t> where = positions(x);
        each_shape(x.numel(), 4, [&](const Dims& to) {
          const std::optional<Layout> y = x.reshape(to);
          (y ? views : copies)++;
          REQUIRE_MESSAGE(y.has_value() == is_strided(where, to),
                          to_string(x.shape)
                              << " strides " << to_string(x.strides) << " to " << to_string(to));
          if (y) REQUIRE(positions(*y) == where);
        });
      }
    });
  CHECK(views > 10000);
  CHECK(copies > 1000);
}

TEST_CASE("layout: each view visits the elements that its name says") {
  const Layout x = Layout::contiguous({2, 3, 4});  // element (i, j, k) at 12 i + 4 j + k
  CHECK(positions(x.transpose(0, -1).select(0, 1)) == std::vector<int64_t>{1, 13, 5, 17, 9, 21});
  CHECK(positions(x.permute({2, 0, 1}).narrow(0, 3, 1)) ==
        std::vector<int64_t>{3, 7, 11, 15, 19, 23});
  CHECK(positions(x.slice(-1, -3, INT64_MAX, 2).select(0, 0)) ==
        std::vector<int64_t>{1, 3, 5, 7, 9, 11});
  CHECK(positions(x.diagonal(1, 2)) == std::vector<int64_t>{0, 5, 10, 12, 17, 22});
  CHECK(x.diagonal(0, 2).shape == Dims{3, 2});
  CHECK(positions(x.select(0, -1).select(0, 0).broadcast_to({2, 4})) ==
        std::vector<int64_t>{12, 13, 14, 15, 12, 13, 14, 15});
  CHECK(x.unsqueeze(-1).shape == Dims{2, 3, 4, 1});
  CHECK(x.unsqueeze(0).squeeze(0) == x);
  CHECK(x.squeeze(1) == x);
  CHECK(x.slice(1, 2, 1).shape == Dims{2, 0, 4});
  CHECK(x.slice(1, -100, 100).shape == x.shape);
  CHECK(x.narrow(1, -2, 2).offset == 4);
  CHECK(x.extent() == std::pair<int64_t, int64_t>{0, 24});
  CHECK(x.narrow(1, 1, 0).extent() == std::pair<int64_t, int64_t>{0, 0});
}

TEST_CASE("layout: a rank of 0 and sizes of 0 are shapes like others") {
  const Layout scalar = Layout::contiguous({});
  CHECK(scalar.numel() == 1);
  CHECK(scalar.reshape({1, 1})->shape == Dims{1, 1});
  CHECK(scalar.transpose(0, -1) == scalar);
  CHECK(scalar.broadcast_to({2, 2}).strides == Dims{0, 0});
  const Layout empty = Layout::contiguous({2, 0, 3});
  CHECK(empty.reshape({0})->shape == Dims{0});
  CHECK(empty.reshape({-1, 6})->shape == Dims{0, 6});
  CHECK(empty.transpose(0, 2).reshape({3, 0, 7})->numel() == 0);
  CHECK(empty.diagonal(0, 1).shape == Dims{3, 0});
}

TEST_CASE("layout: an empty shape whose strides would overflow is refused, wherever its 0 is") {
  const int64_t huge = int64_t{1} << 62;
  const Layout empty = Layout::contiguous({0});
  for (const Dims& shape :
       {Dims{0, huge, 4}, Dims{huge, 0, 4}, Dims{huge, 4, 0}, Dims{0, INT64_MAX, INT64_MAX}}) {
    CAPTURE(to_string(shape));
    CHECK_THROWS_AS((void)numel(shape), ShapeError);
    CHECK_THROWS_AS((void)Layout::contiguous(shape), ShapeError);
    CHECK_THROWS_AS((void)empty.reshape(shape), ShapeError);
    CHECK_THROWS_AS((void)empty.broadcast_to(shape), ShapeError);
  }
  for (const Dims& shape : {Dims{0, huge}, Dims{huge, 0}, Dims{0, INT64_MAX, 1}}) {
    CHECK(Layout::contiguous(shape).numel() == 0);
    CHECK(Layout::contiguous(shape).is_contiguous());
    CHECK(empty.reshape(shape)->numel() == 0);
  }
}

TEST_CASE("layout: what cannot be is refused") {
  const Layout x = Layout::contiguous({2, 3});
  CHECK_THROWS_AS((void)x.reshape({4, 2}), ShapeError);
  CHECK_THROWS_AS((void)x.reshape({-1, -1}), ShapeError);
  CHECK_THROWS_AS((void)x.reshape({-1, 0}), ShapeError);
  CHECK_THROWS_AS((void)x.reshape({-2, 3}), ShapeError);
  CHECK_THROWS_AS((void)x.reshape({int64_t{1} << 40, int64_t{1} << 40}), ShapeError);
  CHECK_THROWS_AS((void)Layout::contiguous({int64_t{1} << 40, int64_t{1} << 40}), ShapeError);
  CHECK_THROWS_AS((void)Layout::contiguous({-1}), ShapeError);
  CHECK_THROWS_AS((void)x.transpose(0, 2), IndexError);
  CHECK_THROWS_WITH_AS((void)x.unsqueeze(5),
                       "unsqueeze: dim 5 is out of range for rank 2 (expected -3 to 2)",
                       IndexError);
  CHECK_THROWS_AS((void)x.unsqueeze(-4), IndexError);
  CHECK_THROWS_AS((void)x.permute({0, 0}), IndexError);
  CHECK_THROWS_AS((void)x.permute({0}), ShapeError);
  CHECK_THROWS_AS((void)x.narrow(1, 2, 2), IndexError);
  CHECK_THROWS_AS((void)x.narrow(1, 4, 0), IndexError);
  CHECK_THROWS_AS((void)x.narrow(0, 0, INT64_MAX), IndexError);
  CHECK_THROWS_AS((void)x.slice(0, 0, 2, 0), IndexError);
  CHECK_THROWS_AS((void)x.select(0, 2), IndexError);
  CHECK_THROWS_AS((void)Layout::contiguous({}).select(0, 0), IndexError);
  CHECK_THROWS_AS((void)x.diagonal(1, -1), IndexError);
  CHECK_THROWS_AS((void)x.broadcast_to({3, 3}), ShapeError);
  CHECK_THROWS_AS((void)x.broadcast_to({3}), ShapeError);
}
