#include <doctest/doctest.h>

#include <slope/autograd/backward.h>
#include <slope/nn/functional/bags.h>

#include <cmath>

using namespace slope;

TEST_CASE("embedding_bag: the padding row counts for nothing, even if it is inf or nan") {
  for (const double filler : {double(INFINITY), double(NAN)})
    for (const nn::BagMode mode : {nn::BagMode::sum, nn::BagMode::mean, nn::BagMode::max}) {
      const Tensor weight = tensor({{1, 2}, {filler, filler}, {3, -1}}, f64).set_requires_grad();
      // the second bag is padding alone
      const Tensor y = nn::embedding_bag(tensor({{0, 1, 2}, {1, 1, 1}}), weight,
                                         {.mode = mode, .padding_idx = 1});
      CHECK(y[0].to_vector() == (mode == nn::BagMode::sum    ? std::vector<double>{4, 1}
                                 : mode == nn::BagMode::mean ? std::vector<double>{2, 0.5}
                                                             : std::vector<double>{3, 2}));
      CHECK(y[1].to_vector() == std::vector<double>{0, 0});
      sum(y).backward();
      CHECK(all(isfinite(weight.grad())));
      CHECK(weight.grad()[1].to_vector() == std::vector<double>{0, 0});
    }
}

TEST_CASE("embedding_bag: the factor of a padding row has no effect and no gradient") {
  const Tensor weight = tensor({{1, 2}, {INFINITY, INFINITY}}, f64).set_requires_grad(),
               factors = tensor({3, INFINITY, NAN}, f64).set_requires_grad();
  const Tensor y = nn::embedding_bag(tensor({0, 1, 1}), weight,
                                     {.mode = nn::BagMode::sum,
                                      .padding_idx = 1,
                                      .offsets = tensor({0}),
                                      .per_sample_weights = factors});
  CHECK(y.to_vector() == std::vector<double>{3, 6});
  sum(y).backward();
  CHECK(weight.grad().to_vector() == std::vector<double>{3, 3, 0, 0});
  CHECK(factors.grad().to_vector() == std::vector<double>{3, 0, 0});
}

TEST_CASE("embedding_bag: of rows of -inf the first is the largest, not the padding before it") {
  const Tensor weight = tensor({{1, 5}, {-INFINITY, 2}, {-INFINITY, 3}}, f64).set_requires_grad();
  const Tensor y =
      nn::embedding_bag(tensor({{0, 1, 2}}), weight, {.mode = nn::BagMode::max, .padding_idx = 0});
  CHECK(y.to_vector() == std::vector<double>{-INFINITY, 3});
  y.backward(tensor({{1, 10}}, f64));
  CHECK(weight.grad().to_vector() == std::vector<double>{0, 0, 1, 0, 0, 10});
}
