// Layers that draw: dropouts and gumbel_softmax.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/nn/nn.h>

#include <fmt/format.h>

#include <cmath>
#include <vector>

using namespace slope;
using namespace slope::nn;

TEST_CASE("dropouts: whole channels, and means and variances that stay") {
  manual_seed(5);
  const Tensor x = randn({1000, 8, 4});
  const auto share_of_zeros = [](const Tensor& y) { return mean(to(y == 0, f32)).item(); };
  const Tensor channels = Dropout1d{0.25}(ones({1000, 8, 4}));
  CHECK(share_of_zeros(channels) == doctest::Approx(0.25).epsilon(0.05));
  CHECK(equal(amax(channels, {2}), amin(channels, {2})));
  for (const Tensor& y : {AlphaDropout{0.3}(x), FeatureAlphaDropout{0.3}(x)}) {
    CHECK(std::abs(mean(y).item()) < 0.03);
    CHECK(slope::std(y).item() == doctest::Approx(1).epsilon(0.03));
  }
  const AlphaDropout layer{0.5};
  eval(layer);
  CHECK(equal(layer(x), x));
  CHECK(nn::to_string(layer) == "AlphaDropout(p=0.5, inplace=False)");
  const auto refused = [](const auto& make, const char* who) {
    for (const double p : {-0.1, 1.1})
      CHECK_THROWS_WITH_AS(
          make(p),
          fmt::format("{}: dropout probability has to be between 0 and 1, but got {}", who, p)
              .c_str(),
          UsageError);
    (void)make(0), (void)make(1);
  };
  refused([](double p) { return Dropout(p); }, "Dropout");
  refused([](double p) { return Dropout1d(p); }, "Dropout1d");
  refused([](double p) { return AlphaDropout(p); }, "AlphaDropout");
  refused([](double p) { return FeatureAlphaDropout(p); }, "FeatureAlphaDropout");
  CHECK(nn::to_string(Dropout1d()) == "Dropout1d(p=0.5, inplace=False)");
  CHECK(nn::to_string(FeatureAlphaDropout()) == "FeatureAlphaDropout(p=0.5, inplace=False)");
}

TEST_CASE("gumbel_softmax: of equal probabilities one is chosen, over any dim") {
  for (const int64_t dim : {0, 1, -1, -2}) {
    const Tensor one = gumbel_softmax(full({3, 4}, 1e8), {.hard = true, .dim = dim});
    CAPTURE(dim);
    CHECK(sum(one, {dim}).to_vector() == std::vector<double>(dim % 2 == 0 ? 4 : 3, 1.0));
  }
}

TEST_CASE("gumbel_softmax: samples come as often as softmax says, with the soft gradient") {
  manual_seed(6);
  const Tensor logits = log(tensor({0.1, 0.2, 0.7})).expand({20000, 3});
  const Tensor often = mean(gumbel_softmax(logits, {.tau = 0.5, .hard = true}), {0});
  CHECK(often.to_vector()[0] == doctest::Approx(0.1).epsilon(0.1));
  CHECK(often.to_vector()[2] == doctest::Approx(0.7).epsilon(0.03));
  const auto gradient = [](bool hard) {
    manual_seed(7);
    const Tensor x = tensor({1.0, 2.0, 0.5}).set_requires_grad();
    gumbel_softmax(x, {.hard = hard}).select(0, 1).backward();
    return x.grad().to_vector();
  };
  CHECK(gradient(true) == gradient(false));
}
