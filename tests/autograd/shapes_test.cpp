// Views share storage; rearranging operations copy; joining and splitting undo each other;
// signatures name what does not fit.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/adjacent.h>

using namespace slope;

namespace {
using Values = std::vector<double>;
const auto numbers = [] { return reshape(arange(6), {2, 3}); };  // 0 1 2 / 3 4 5
}  // namespace

TEST_CASE("views: share their tensor's storage") {
  const Tensor x = zeros({2, 3, 4});
  for (const Tensor& view :
       {x.transpose(0, 2), x.permute({1, 0, 2}), x.reshape({6, 4}), x.view({-1}), x.narrow(1, 0, 2),
        x.select(2, 1), x[0], x.slice(0, 0, 2), x.expand({5, 2, 3, 4}), x.unsqueeze(0),
        x.squeeze(0), x.squeeze(), x.flatten(), x.movedim(0, 2), diagonal(x, 0, 1),
        x.split(1, 2)[3], x.chunk(2, 0)[1], x.unbind(1)[2], x.contiguous()})
    CHECK(view.storage().get() == x.storage().get());
  CHECK(x.transpose(0, 1).reshape({24}).storage().get() != x.storage().get());
  CHECK(x.clone().storage().get() != x.storage().get());
  CHECK(x.contiguous().is_same(x));
  CHECK(x.to(f32).is_same(x));
  CHECK_THROWS_AS((void)x.transpose(0, 1).view({24}), ShapeError);
}

TEST_CASE("shapes: sizes that overflow where tensors are joined or split are refused") {
  const int64_t huge = int64_t{1} << 62;
  const Tensor x = ones({1}).expand({huge});
  CHECK_THROWS_AS((void)cat({x, x, x, x}, 0), ShapeError);
  CHECK_THROWS_AS((void)split(zeros({4}), {huge, huge, huge, huge, 4}, 0), ShapeError);
}

TEST_CASE("views: methods give the shapes and elements of PyTorch's") {
  const Tensor x = numbers();
  CHECK(x.transpose(0, 1).to_vector() == Values{0, 3, 1, 4, 2, 5});
  CHECK(x[-1].to_vector() == Values{3, 4, 5});
  CHECK(x.slice(1, 0, INT64_MAX, 2).to_vector() == Values{0, 2, 3, 5});
  CHECK(x.expand({2, -1, 3}).shape() == Dims{2, 2, 3});
  CHECK(x.flatten(1).shape() == Dims{2, 3});
  CHECK(zeros({}).flatten().shape() == Dims{1});
  CHECK(zeros({2, 3, 4, 5}).flatten(1, 2).shape() == Dims{2, 12, 5});
  CHECK(zeros({1, 2, 1, 3}).squeeze().shape() == Dims{2, 3});
  CHECK(zeros({2, 3, 4}).movedim(0, -1).shape() == Dims{3, 4, 2});
  CHECK(zeros({2, 3, 4}).movedim(-1, 0).shape() == Dims{4, 2, 3});
  CHECK(x.to(boolean).to_vector() == Values{0, 1, 1, 1, 1, 1});
  CHECK(x.to(f64).sum().item() == 15);
}

TEST_CASE("rearranging: places elements as PyTorch does") {
  const Tensor x = numbers();
  CHECK(pad(x, {1, 0}).to_vector() == Values{0, 0, 1, 2, 0, 3, 4, 5});
  CHECK(pad(x, {-1, 1, 0, -1}, 9).to_vector() == Values{1, 2, 9});
  CHECK(tril(x).to_vector() == Values{0, 0, 0, 3, 4, 0});
  CHECK(tril(x, 1).to_vector() == Values{0, 1, 0, 3, 4, 5});
  CHECK(triu(x, 1).to_vector() == Values{0, 1, 2, 0, 0, 5});
  CHECK(triu(x, INT64_MIN).to_vector() == x.to_vector());
  CHECK(flip(x, {0, 1}).to_vector() == Values{5, 4, 3, 2, 1, 0});
  CHECK(flip(x.transpose(0, 1), {0}).to_vector() == Values{2, 5, 1, 4, 0, 3});
  CHECK(roll(x, {1}, {1}).to_vector() == Values{2, 0, 1, 5, 3, 4});
  CHECK(roll(x, {-7}, {}).to_vector() == Values{1, 2, 3, 4, 5, 0});
  CHECK(roll(x, {1, -1}, {0, 1}).to_vector() == Values{4, 5, 3, 1, 2, 0});
  CHECK(repeat(x, {1, 2}).to_vector() == Values{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  CHECK(repeat(x, {2, 1, 1}).shape() == Dims{2, 2, 3});
  CHECK(repeat_interleave(x, 2, 1).to_vector() == Values{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
}

TEST_CASE("joining: cat and stack undo split and unbind") {
  const Tensor x = reshape(arange(30), {2, 5, 3});
  for (int64_t dim = -3; dim < 3; ++dim) {
    CHECK(equal(cat(split(x, 2, dim), dim), x));
    CHECK(equal(cat(chunk(x, 3, dim), dim), x));
    CHECK(equal(stack(unbind(x, dim), dim), x));
  }
  CHECK_THROWS_WITH_AS((void)stack({x}, 4),
                       "stack: dim 4 is out of range for rank 3 (expected -4 to 3)", IndexError);
  CHECK(split(x, 2, 1).size() == 3);
  CHECK(split(x, 2, 1)[2].shape() == Dims{2, 1, 3});
  CHECK(chunk(zeros({6}), 4).size() == 3);  // PyTorch's rule: pieces of ceil(6 / 4)
  CHECK(cat({zeros({2, 2}), zeros({0}), zeros({1, 2})}).shape() == Dims{3, 2});
  CHECK(cat({tensor({1, 2}), tensor({2.5})}).dtype() == f32);
}

TEST_CASE("joining: what has shape (0,) and fits any other gets a gradient of that shape") {
  for (const Dims& shape : {Dims{6}, Dims{2, 3}, Dims{0}})
    for (const bool create_graph : {false, true}) {
      const Tensor e = zeros({0}).set_requires_grad(), x = ones(shape).set_requires_grad();
      const Tensor y = cat({e, x}, -1);
      CHECK(y.shape() == shape);
      const Tensors d = grad({sum(y * 2)}, {e, x}, {.create_graph = create_graph});
      CHECK(d[0].shape() == Dims{0});
      CHECK(equal(d[1], full(shape, 2)));
    }
  CHECK_THROWS_AS((void)cat({zeros({0}), zeros({2, 2}), zeros({3})}), ShapeError);
}

TEST_CASE(
    "joining: the whole of pieces is found where they lie side by side in one storage, and only "
    "there") {
  const Tensor x = randn({4, 6}), y = randn({4, 6});
  const auto columns = [&](int64_t first, int64_t n) { return x.narrow(1, first, n); };
  CHECK(equal(joined_without_copy(split(x, Dims{1, 3, 2}, 1), 1), x));
  CHECK(equal(joined_without_copy(split(x, 2, 0), 0), x));
  CHECK(!joined_without_copy({columns(0, 3), columns(0, 3)}, 1).defined());
  CHECK(!joined_without_copy({columns(3, 3), columns(0, 3)}, 1).defined());
  CHECK(!joined_without_copy({columns(0, 3), y.narrow(1, 3, 3)}, 1).defined());
  CHECK(!joined_without_copy({columns(0, 2), columns(2, 2)}, 1).defined());  // not all of x
  // side by side, but of other numbers of rows
  CHECK(!joined_without_copy({columns(0, 3), columns(3, 3).narrow(0, 0, 2)}, 1).defined());
  CHECK(!joined_without_copy({columns(0, 3).narrow(0, 0, 2), columns(3, 3)}, 1).defined());

  const Tensors pieces = empty_adjacent_like({columns(0, 2), columns(2, 2), columns(4, 2)});
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].shape() == Dims{4, 2});
  CHECK(joined_without_copy(pieces, 1).shape() == Dims{4, 6});
  CHECK(empty_adjacent_like({columns(0, 2), columns(2, 2)}).empty());  // with holes
  CHECK(empty_adjacent_like({columns(0, 3), columns(0, 3)}).empty());  // the same twice
  CHECK(empty_adjacent_like({columns(4, 2), columns(2, 2), columns(0, 2)}).empty());  // backwards
  CHECK(empty_adjacent_like({columns(0, 3), columns(2, 3)}).empty());                 // overlapping
  CHECK(empty_adjacent_like({columns(0, 3), y.narrow(1, 3, 3)}).empty());
  CHECK(empty_adjacent_like({x.narrow(0, 0, 2), x.narrow(0, 2, 2)}).size() == 2);
  CHECK(empty_adjacent_like(unbind(x.reshape({4, 2, 3}), -1)).empty());  // rows not contiguous
  // elements that share a place
  CHECK(empty_adjacent_like({columns(0, 1).expand({4, 3}), columns(3, 1).expand({4, 3})}).empty());
}

TEST_CASE("split: a dim out of range is refused in the name of the function") {
  CHECK_THROWS_WITH_AS((void)split(ones({2}), 1, 9), doctest::Contains("split: dim 9"), IndexError);
  CHECK_THROWS_WITH_AS((void)chunk(ones({2}), 1, 9), doctest::Contains("chunk: dim 9"), IndexError);
}

TEST_CASE("split: a piece without a gradient counts as zeros") {
  const Tensor x = ones({4}, f64).set_requires_grad();
  const Tensors pieces = split(x, 2);
  (void)pieces[1].sum().backward();
  CHECK(x.grad().to_vector() == Values{0, 0, 1, 1});
}

TEST_CASE("signature: names the operation, the input and the size that does not fit") {
  const Op op{.name = "thing", .signature = "(b, *, n), (n, m)?, (2)... -> (b, *, m)"};
  const auto message = [&](std::initializer_list<InputRef> inputs) -> std::string {
    try {
      op.check(inputs);
    } catch (const ShapeError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message({zeros({4, 7, 7, 3}), zeros({3, 5}), zeros({2}), zeros({2})}).empty());
  CHECK(message({zeros({4, 3}), Tensor(), zeros({2})}).empty());
  CHECK(message({zeros({4}), Tensor(), zeros({2})}) ==
        "thing: input 0 of shape (4,) does not fit (b, *, n): too few dims");
  CHECK(
      message({zeros({4, 3}), zeros({4, 5}), zeros({2})}) ==
      "thing: input 1 of shape (4, 5) does not fit (n, m): size n is 3 in input 0 of shape (4, 3)");
  CHECK(message({zeros({4, 3}), zeros({3, 5, 1}), zeros({2})}) ==
        "thing: input 1 of shape (3, 5, 1) does not fit (n, m): too many dims");
  CHECK(message({zeros({4, 3}), zeros({3, 5}), zeros({2}), zeros({3})}) ==
        "thing: input 3 of shape (3,) does not fit (2): 3 instead of 2");
  CHECK(message({Tensor(), zeros({3, 5})}) == "thing: input 0 is undefined");
}
