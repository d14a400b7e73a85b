// Rotary positions, sinusoids that are saved, and the norm by standard deviation.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/nn/nn.h>

#include <cmath>

using namespace slope;

namespace {

double largest(const Tensor& x) {
  double most = 0;
  for (const double v : x.detach().to_vector())
    most = std::isfinite(v) ? std::max(most, std::abs(v)) : INFINITY;
  return most;
}

}  // namespace

TEST_CASE("rotary: lengths stay, products depend on the distance alone") {
  manual_seed(1);
  nn::RotaryPositions positions(20, 6, 100);
  nn::to(positions, f64);
  const Tensor q = randn({1, 6}, f64), k = randn({1, 6}, f64);
  const auto at = [&](const Tensor& x, int64_t t) { return nn::rotate(x, positions.at(t, 1)); };
  CHECK(largest(at(q, 0) - q) == 0);
  CHECK(largest(at(q, 7) - q) > 0.1);
  CHECK(norm(at(q, 7)).item() == doctest::Approx(norm(q).item()).epsilon(1e-6));
  const double near = sum(at(q, 3) * at(k, 1)).item();
  CHECK(sum(at(q, 11) * at(k, 9)).item() == doctest::Approx(near).epsilon(1e-5));
  CHECK(std::abs(sum(at(q, 11) * at(k, 1)).item() - near) > 1e-3);
  CHECK_THROWS_AS(positions.at(15, 6), ShapeError);
  CHECK_THROWS_AS(nn::RotaryPositions(4, 5), ShapeError);
  CHECK_THROWS_AS(nn::RotaryPositions(-1, 4), ShapeError);
  CHECK_THROWS_AS(nn::SinusoidalPositions(-2, -4), ShapeError);
  CHECK_THROWS_AS(nn::SinusoidalPositions(int64_t{1} << 62, 8), ShapeError);
  {
    const nn::init::ElementLimit limit(100);
    CHECK_THROWS_AS(nn::PositionalEncoding(1 << 20, 64, 0), InputError);  // saved with the weights
    CHECK_THROWS_AS(nn::RotaryPositions(1 << 20, 128), UsageError);
    CHECK_THROWS_AS(nn::SinusoidalPositions(1 << 20, 128), UsageError);
    CHECK(nn::RotaryPositions(100, 4).cos.shape() == Dims{100, 4});
  }
  CHECK(nn::state_entries(positions).empty());  // what a formula gives is not saved
  const nn::Rotation three = positions.at(2, 3);
  const auto f = [&](const Tensors& in) { return Tensors{nn::rotate(in[0], three)}; };
  CHECK(gradcheck(f, {randn({2, 2, 3, 6}, f64).set_requires_grad()}).ok);
}

TEST_CASE("positional encoding: position 0 is 0 1 0 1 …, another one is a rotation away") {
  nn::PositionalEncoding encoding(12, 4, 0);
  nn::to(encoding, f64);
  CHECK(encoding.pe.shape() == Dims{1, 12, 4});
  const auto pe = [&](int64_t t) { return encoding.pe.select(0, 0).select(0, t).to_vector(); };
  CHECK(pe(0) == std::vector<double>{0, 1, 0, 1});
  for (int64_t i = 0; i < 2; ++i) {  // PE(t + 3) = R PE(t)
    const double angle = 3 / std::pow(10000.0, static_cast<double>(i) / 2);
    for (const int64_t t : {0, 5, 8}) {
      const double s = pe(t)[static_cast<size_t>(2 * i)], c = pe(t)[static_cast<size_t>(2 * i + 1)];
      CHECK(pe(t + 3)[static_cast<size_t>(2 * i)] ==
            doctest::Approx(s * std::cos(angle) + c * std::sin(angle)).epsilon(1e-5));
    }
  }
  CHECK(nn::state_entries(encoding).size() == 1);
  const Tensor x = zeros({1, 2, 4}, f64);
  CHECK(largest(encoding(x, tensor({3, 7}))[0][1] - encoding.pe.select(0, 0).select(0, 7)) == 0);
  CHECK_THROWS_AS(encoding(x, tensor({3, 12})), InputError);
  const nn::TransformerEmbedding learned(5, 4, 3, 0);
  CHECK_THROWS_AS(learned(tensor({{1, 2}}), tensor({2, 3})), InputError);
}

TEST_CASE("positional encoding: a printed example of a notebook, kept values doubled by dropout") {
  // The first three of 512 channels, at positions 0 to 4: embeddings, and 2 (embedding + PE).
  const std::vector<std::vector<double>> rows{{.2098, -.3947, -.2909},
                                              {-.1649, -.2299, -.4710},
                                              {-.0617, -.4992, -.2882},
                                              {-2.2563, -1.6153, .7384},
                                              {-2.2563, -1.6153, .7384}},
      printed{{.4196, 1.2105, -.5818},
              {1.3532, .6207, .7017},
              {1.6952, -1.8307, 1.2964},
              {-4.2303, -5.2106, 1.9669},
              {-6.0262, 0, .1624}};  // the 0 is dropout's
  const nn::PositionalEncoding encoding(5, 512, 0);
  for (int64_t t = 0; t < 5; ++t)
    for (int64_t c = 0; c < 3; ++c) {
      const double expected = printed[static_cast<size_t>(t)][static_cast<size_t>(c)];
      const double sum =
          rows[static_cast<size_t>(t)][static_cast<size_t>(c)] + encoding.pe[0][t][c].item();
      if (expected != 0) CHECK(std::abs(2 * sum - expected) < 1.5e-4);
    }
}

TEST_CASE("standardize: a printed example of a notebook, and a constant row has finite gradients") {
  // A row of mean .5240 and deviation 1.6645: six known elements, and two chosen to give both.
  const std::vector<double> given{.4196, 1.2105, -.5818, 1.5491, 2.4813, 0},
      printed{-.0627, .4125, -.6643, .6159, 1.1759, -.3148};
  const double mean = .5240, deviation = 1.6645;
  double sum = 8 * mean, squares = 7 * deviation * deviation;  // divisor C - 1
  for (const double v : given) sum -= v, squares -= (v - mean) * (v - mean);
  const double middle = sum / 2, half = std::sqrt(squares / 2 - (middle - mean) * (middle - mean));
  std::vector<double> row = given;
  row.push_back(middle - half);
  row.push_back(middle + half);
  const std::vector<double> y = nn::standardize(from_vector(row, {8})).to_vector();
  for (size_t i = 0; i < printed.size(); ++i) CHECK(std::abs(y[i] - printed[i]) < 1e-4);
  const Tensor constant = full({2, 3}, 4, f64).set_requires_grad();
  slope::sum(nn::standardize(constant) * tensor({1., 2., 3.}).to(f64)).backward();
  CHECK(std::isfinite(largest(constant.grad())));
  const auto f = [](const Tensors& in) { return Tensors{nn::standardize(in[0])}; };
  CHECK(gradcheck(f, {randn({3, 5}, f64).set_requires_grad()}).ok);
}
