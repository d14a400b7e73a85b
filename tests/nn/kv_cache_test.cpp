#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/grad_mode.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>
#include <slope/nn/transformer/kv_cache.h>

using namespace slope;
using nn::GrowingTensor;

namespace {
using Values = std::vector<double>;
Tensor piece(int64_t T) { return randn({2, 3, T, 4}, f64); }
}  // namespace

TEST_CASE("kv cache: all that was appended, in order, however it came and beyond every doubling") {
  manual_seed(5);
  const NoGrad no_grad;
  GrowingTensor grown;
  Tensor expected;
  for (const int64_t T : {3, 1, 1, 20, 1, 40, 1}) {
    const Tensor x = piece(T);
    expected = expected.defined() ? cat({expected, x}, 2) : x;
    const Tensor all = grown.append(x);
    CHECK(all.shape() == expected.shape());
    CHECK(all.to_vector() == expected.to_vector());
    CHECK(grown.length() == expected.size(2));
  }
  const Tensor rows = tensor({1, 1, 0});
  grown.select(rows);
  const Tensor x = randn({3, 3, 1, 4}, f64);
  CHECK(grown.append(x).to_vector() == cat({index_select(expected, 0, rows), x}, 2).to_vector());
}

TEST_CASE("kv cache: a step copies no more than what it appends while there is room") {
  const NoGrad no_grad;
  const auto moves = [](int64_t width) {
    GrowingTensor grown;
    const void* first = grown.append(zeros({1, 2, 1, width})).storage()->data();
    int count = 0;
    for (int i = 1; i < 100; ++i) {
      const void* now = grown.append(zeros({1, 2, 1, width})).storage()->data();
      count += now != first;
      first = now;
    }
    return count;
  };
  CHECK(moves(2048) == 3);  // when 16, 32 and 64 rows were full
  CHECK(moves(256) == 2);   // when 32 and 64 rows of 2 KiB were full
  CHECK(moves(4) == 0);
}

TEST_CASE("kv cache: copies, and views that somebody keeps, are not written to") {
  manual_seed(5);
  const NoGrad no_grad;
  const Tensor a = piece(2), b = piece(1), c = piece(1);
  GrowingTensor one;
  const Tensor kept = one.append(a);
  GrowingTensor other = one;
  CHECK(one.append(b).to_vector() == cat({a, b}, 2).to_vector());
  CHECK(other.append(c).to_vector() == cat({a, c}, 2).to_vector());
  CHECK(kept.to_vector() == a.to_vector());
  CHECK(one.append(c).to_vector() == cat({a, b, c}, 2).to_vector());
}

TEST_CASE("kv cache: where a graph is recorded, gradients flow to what was appended") {
  manual_seed(5);
  const Tensor a = piece(2).set_requires_grad(), b = piece(1).set_requires_grad();
  GrowingTensor grown;
  grown.append(a);
  const Tensor all = grown.append(b);
  (all * all).sum().backward();
  CHECK(a.grad().to_vector() == (2 * a.detach()).to_vector());
  CHECK(b.grad().to_vector() == (2 * b.detach()).to_vector());
  const Tensor constant = piece(1);
  GrowingTensor mixed;
  mixed.append(b);
  a.set_grad({}), b.set_grad({});
  (mixed.append(constant) * 3).sum().backward();
  CHECK(b.grad().to_vector() == Values(24, 3));
  mixed.select(tensor({1, 1}));
  b.set_grad({});
  mixed.append(constant).sum().backward();
  CHECK(b.grad().to_vector() ==
        cat({zeros({1, 3, 1, 4}, f64), full({1, 3, 1, 4}, 2, f64)}, 0).to_vector());
  const NoGrad no_grad;
  CHECK(grown.append(a.detach()).to_vector() == cat({a, b, a}, 2).to_vector());
}

TEST_CASE("kv cache: what a graph holds of it stays as it was") {
  manual_seed(5);
  const Tensor q = piece(1).set_requires_grad(), k = piece(1);
  GrowingTensor grown;
  const Tensor y = matmul(q, grown.append(k).transpose(2, 3));
  grown.append(piece(1));
  y.sum().backward();  // would throw if the memory had been written to
  CHECK(q.grad().to_vector() == k.to_vector());
}

TEST_CASE("kv cache: refuses another dtype") {
  GrowingTensor grown;
  grown.append(zeros({1, 1, 1, 2}));
  CHECK_THROWS_WITH_AS(grown.append(zeros({1, 1, 1, 2}, f64)),
                       "kv cache: the dtype must stay float32, got float64", DTypeError);
}
