// Selection by index: values, repeated indices, the same bits for any number of threads, refusal
// before anything is written.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/parallel.h>
#include <slope/tests/threads.h>

using namespace slope;

namespace {
using Values = std::vector<double>;
}

TEST_CASE("indexing: picks what the index names") {
  const Tensor x = reshape(arange(6), {3, 2});  // 0 1 / 2 3 / 4 5
  CHECK(index_select(x, 0, tensor({2, 2, 0})).to_vector() == Values{4, 5, 4, 5, 0, 1});
  CHECK(index_select(x, -1, tensor({1})).to_vector() == Values{1, 3, 5});
  CHECK(index_select(x.transpose(0, 1), 1, tensor({2})).to_vector() == Values{4, 5});
  CHECK(gather(x, 1, tensor({{1}, {0}, {1}})).to_vector() == Values{1, 2, 5});
  CHECK(gather(x, 0, tensor({{2, 1}})).to_vector() == Values{4, 3});
  CHECK(scatter_add(zeros({2, 2}), 0, tensor({{0, 1}, {0, 0}}), tensor({{1., 2.}, {3., 4.}}))
            .to_vector() == Values{4, 4, 0, 2});
  CHECK(scatter_add(tensor({INT64_MAX}), 0, tensor({0}), tensor({1})).data<int64_t>()[0] ==
        INT64_MIN);  // modulo 2^64, as other sums
  CHECK(embedding(tensor({{1, 2}, {0, 1}}), x).shape() == Dims{2, 2, 2});
  CHECK(embedding(tensor(2), x).to_vector() == Values{4, 5});
  CHECK_THROWS_WITH_AS((void)embedding(tensor({0, 3}), x),
                       "embedding: index 3 at position 1 is out of range [0, 3)", IndexError);
  CHECK_THROWS_AS((void)embedding(tensor({-1}), x), IndexError);
}

TEST_CASE("embedding: repeated rows add up in order, the padding's row gets nothing") {
  const Tensor weight = ones({4, 2}, f64).set_requires_grad();
  embedding(tensor({1, 0, 1, 3, 1}), weight, 0)
      .backward(tensor({{1., 1.}, {9., 9.}, {2., 3.}, {5., 5.}, {4., 0.}}, f64));
  CHECK(weight.grad().to_vector() == Values{0, 0, 7, 4, 0, 0, 5, 5});
}

TEST_CASE(
    "embedding: a table that is the output projection too gets both gradients, in one tensor") {
  manual_seed(5);
  const Tensor index = tensor({2, 0, 2}), start = randn({4, 3}, f64), g = randn({3, 4}, f64);
  const auto logits = [&](const Tensor& table, const Tensor& projection) {
    return linear(tanh(embedding(index, table, 0)), projection);
  };
  const Tensor tied = start.clone().set_requires_grad(), table = start.clone().set_requires_grad(),
               projection = start.clone().set_requires_grad();
  logits(tied, tied).backward(g);
  logits(table, projection).backward(g);
  CHECK(allclose(tied.grad(), table.grad() + projection.grad(), 1e-12, 1e-12));
  const Tensor kept = tied.grad().clone();
  logits(tied, tied).backward(g);  // added to the gradient of an earlier backward
  CHECK(allclose(tied.grad(), kept + kept, 1e-12, 1e-12));
  const Tensor recorded =
      grad({logits(tied, tied)}, {tied}, {.grad_outputs = {g}, .create_graph = true})[0];
  CHECK(allclose(recorded, kept, 1e-12, 1e-12));
}

TEST_CASE("embedding: the gradient has the same bits for 1, 2, 3, 4 and 7 threads") {
  manual_seed(5);
  const int64_t V = 700, d = 64, n = 5000;
  const Tensor index = randint(0, V, {n}), g = randn({n, d}),
               weight = randn({V, d}).set_requires_grad();
  const KeepThreads restore;
  std::vector<float> expected(static_cast<size_t>(V * d));
  for (int64_t k = 0; k < n; ++k)
    for (int64_t c = 0; c < d; ++c)
      expected[static_cast<size_t>(index.data<int64_t>()[k] * d + c)] += g.data<float>()[k * d + c];
  for (const int threads : {1, 2, 3, 4, 7}) {
    set_num_threads(threads);
    const Tensor dw = grad({embedding(index, weight)}, {weight}, {.grad_outputs = {g}})[0];
    CHECK_MESSAGE(std::equal(expected.begin(), expected.end(), dw.data<float>()),
                  threads << " threads");
  }
}

TEST_CASE("indexing: an index that an operation kept may not be written before backward") {
  const Tensor index = tensor({0, 1}), x = ones({2}, f64).set_requires_grad();
  const Tensor y = gather(x, 0, index);
  index.write<int64_t>()[0] = 1;
  CHECK_THROWS_AS(y.sum().backward(), AutogradError);
}
