// The moving average of the weights: its formula, its swap into the model, refusals.
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/module/state.h>
#include <slope/optim/ema.h>
#include <slope/tests/golden.h>

using namespace slope;
using namespace slope::optim;

TEST_CASE(
    "ema: a parameter that became another kind of tensor is refused before anything is swapped") {
  const Tensor p = zeros({3}).set_requires_grad();
  Ema ema({{"p", p}}, 0.9);
  nn::replace_data(p, ones({3}, f64));
  CHECK_THROWS_AS(ema.swap(), UsageError);
  CHECK_THROWS_AS(ema.update(), UsageError);
  CHECK(p.to_vector() == std::vector<double>{1, 1, 1});
}

TEST_CASE("ema: the rising decay is that of the formula until it reaches its limit") {
  CHECK(rising_decay(0.999, 0) == 0.1);
  CHECK(rising_decay(0.999, 8) == 0.5);
  CHECK(rising_decay(0.999, 8990) == doctest::Approx(0.999).epsilon(1e-9));
  CHECK(rising_decay(0.999, 1'000'000) == 0.999);
  CHECK(rising_decay(0.05, 0) == 0.05);
  const Tensor p = zeros({1}, f64);
  Ema ema({{"p", p}}, 0.9);
  fill(p, 1);
  ema.update(0.25);
  CHECK(ema.averages()[0].tensor.item() == 0.75);
  ema.update();
  CHECK(ema.averages()[0].tensor.item() == doctest::Approx(0.775));
}

TEST_CASE_TEMPLATE("ema: a decay next to 1 moves the average as the formula says", T, float,
                   double) {
  const DType dtype = std::is_same_v<T, float> ? f32 : f64;
  for (const double rest : {1e-3, 1e-5, 1e-6, 1e-7}) {
    const Tensor p = zeros({3}, dtype);
    Ema ema({{"p", p}}, 1 - rest);
    fill(p, 1);
    ema.update();
    CHECK(ema.averages()[0].tensor.to_vector()[2] == doctest::Approx(rest).epsilon(1e-6));
  }
}

TEST_CASE(
    "ema: integers are refused at once; a parameter that begins within a storage is "
    "averaged") {
  CHECK_THROWS_AS(Ema({{"a", zeros({1})}, {"i", arange(3)}}, 0.5), DTypeError);
  const Tensor base = zeros({6}), p = base.narrow(0, 2, 3);
  Ema ema({{"p", p}}, 0.5);
  fill(p, 1);
  ema.update();
  {
    const Averaged averaged(ema);
    CHECK(p.to_vector() == std::vector<double>{0.5, 0.5, 0.5});
  }
  CHECK(p.to_vector() == std::vector<double>{1, 1, 1});
  CHECK(base.to_vector() == std::vector<double>{0, 0, 1, 1, 1, 0});
}

TEST_CASE("ema: a model converted while it holds averages gets its own weights back") {
  const Tensor p = zeros({3});
  Ema ema({{"p", p}}, 0.5);
  fill(p, 1);
  {
    const Averaged averaged(ema);
    nn::replace_data(p, contiguous_copy(p, f64));
  }
  CHECK(p.dtype() == f32);
  CHECK(p.to_vector() == std::vector<double>{1, 1, 1});
  CHECK_THROWS_AS(ema.update(), UsageError);
}

TEST_CASE("ema: averages loaded from their own tensors under exchanged names") {
  Ema ema({{"a", full({2}, 1.0)}, {"b", full({2}, 2.0)}}, 0.5);
  ema.load_averages({{"a", ema.averages()[1].tensor}, {"b", ema.averages()[0].tensor}});
  CHECK(ema.averages()[0].tensor.to_vector() == std::vector<double>{2, 2});
  CHECK(ema.averages()[1].tensor.to_vector() == std::vector<double>{1, 1});
}
