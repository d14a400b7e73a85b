#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/random.h>
#include <slope/nn/init.h>
#include <slope/nn/init_structured.h>
#include <slope/nn/nn.h>

#include <cmath>

using namespace slope;
using namespace slope::nn;

namespace {
struct ListsHalf {
  int config;
  nn::Linear listed{2, 2}, unlisted{2, 2};
  nn::LayerNorm norm{2};
  explicit ListsHalf(int c) : config(c) {}
  SLOPE_MODULE(ListsHalf, listed, norm)
};
}  // namespace

TEST_CASE("init: in a model made to be loaded, drawn tensors that no line lists are nan") {
  const auto model = nn::init::make_unset<ListsHalf>(1);
  for (const double x : model.unlisted.weight.to_vector()) CHECK(std::isnan(x));
  for (const double x : model.unlisted.bias->to_vector()) CHECK(std::isnan(x));
  CHECK(model.norm.weight->to_vector() == std::vector<double>{1, 1});
}

TEST_CASE("init: a module's own parameters are filled; integers are refused") {
  const nn::Linear square(4, 4, false);
  init::eye(square.weight);
  CHECK(sum(square.weight).item() == 4);
  init::orthogonal(square.weight);
  CHECK(sum(square.weight * square.weight).item() == doctest::Approx(4));
  init::sparse(square.weight, 0.5);
  CHECK(square.weight.requires_grad());
  CHECK(square.weight.is_leaf());
  CHECK_THROWS_AS(init::orthogonal(zeros({3, 3}, i64)), DTypeError);
}

TEST_CASE("init: identities, orthogonal and sparse matrices") {
  manual_seed(8);
  const Tensor e = full({2, 3}, 7);
  init::eye(e);
  CHECK(e.to_vector() == std::vector<double>{1, 0, 0, 0, 1, 0});

  const Tensor kernel = full({4, 2, 3}, 7), x = randn({1, 4, 5});
  init::dirac(kernel, 2);
  CHECK(kernel.to_vector() == std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
                                                  0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0});

  for (const Dims& shape : {Dims{5, 5}, Dims{3, 7}, Dims{7, 3}, Dims{2, 3, 2}, Dims{1, 1}}) {
    const Tensor q = Tensor::empty(shape, f64);
    init::orthogonal(q, 2);
    const Tensor m = q.reshape({shape[0], -1}) / 2;
    const Tensor product =
        m.size(0) <= m.size(1) ? matmul(m, m.transpose(0, 1)) : matmul(m.transpose(0, 1), m);
    const Tensor identity = zeros(product.shape(), f64);
    init::eye(identity);
    CHECK(allclose(product, identity, 0, 1e-14));
  }

  const Tensor s = Tensor::empty({10, 300});
  init::sparse(s, 0.25, 0.5);
  const Tensor zeros_of_columns = sum(to(s == 0, i64), {0});
  CHECK(min(zeros_of_columns).item() == 3);  // 2.5, rounded up
  CHECK(max(zeros_of_columns).item() == 3);
  CHECK(std::sqrt(sum(s * s).item() / (7 * 300)) == doctest::Approx(0.5).epsilon(0.05));

  CHECK_THROWS_AS(init::eye(x), ShapeError);
  CHECK_THROWS_AS(init::dirac(e), ShapeError);
  CHECK_THROWS_AS(init::dirac(kernel, 3), UsageError);
  CHECK_THROWS_WITH_AS(init::dirac(zeros({2, 2, 0})),
                       "init::dirac: the kernel of shape (2, 2, 0) has no middle", ShapeError);
  init::dirac(zeros({2, 0, 0}));  // no channel to pass on
  CHECK_THROWS_AS(init::orthogonal(zeros({3})), ShapeError);
  CHECK_THROWS_AS(init::sparse(s, 2), UsageError);
}

TEST_CASE("init: a limit counts saved tables too, and refuses one before it takes memory") {
  const init::ElementLimit limit(1000);
  const nn::PositionalEncoding half(10, 50, 0);
  CHECK_THROWS_WITH_AS(PositionalEncoding(int64_t{1} << 40, 8, 0),
                       doctest::Contains("more than 1000 elements"), InputError);
  const nn::PositionalEncoding rest(50, 10, 0);
  CHECK(rest.pe.shape() == Dims{1, 50, 10});
  CHECK_THROWS_AS(PositionalEncoding(1, 1, 0), InputError);
}

TEST_CASE("init: numbers that no distribution has are refused") {
  manual_seed(9);
  const Tensor x = zeros({200}), empty = zeros({0, 0});
  const double inf = INFINITY, nan = NAN;
  for (const auto& [mean, std] : {std::pair(0.0, -1.0), {0, nan}, {0, inf}, {nan, 1}, {inf, 1}}) {
    CHECK_THROWS_AS(init::normal(x, mean, std), UsageError);
    CHECK_THROWS_AS(init::trunc_normal(x, mean, std), UsageError);
  }
  for (const auto& [low, high] :
       {std::pair(0.0, inf), {-inf, 0}, {inf, inf}, {0, nan}, {nan, 0}, {0, 1e39}})
    CHECK_THROWS_AS(init::uniform(x, low, high), UsageError);
  CHECK_THROWS_AS(init::uniform(zeros({2}, f64), -1e308, 1e308), UsageError);
  CHECK_THROWS_AS(init::xavier_normal(zeros({2, 2}), -1), UsageError);
  CHECK(sum(x == 0).item() == 200);  // nothing was written
  init::uniform(zeros({2}, f64), 0, 1e39);
  init::xavier_uniform(empty);
  init::xavier_normal(empty);
  init::normal(x, 3, 0);
  CHECK(sum(x == 3).item() == 200);
  init::trunc_normal(x, 0, 1, -inf, inf);
  CHECK(all(isfinite(x)));
}
