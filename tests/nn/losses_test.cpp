// Losses as modules: their buffers and parts. golden_layers_test.cpp compares their values.
#include <doctest/doctest.h>
#include <slope/core/module_path.h>
#include <slope/nn/losses/losses.h>
#include <slope/nn/losses/weighted_losses.h>
#include <slope/nn/module/clone.h>
#include <slope/nn/module/state.h>

using namespace slope;

namespace {

// Converts a clone, then the loss itself.
template <class Loss>
void check_conversion(Loss loss, const Tensor& w) {
  const Loss other = nn::clone(loss);
  nn::to(other, f64);
  CHECK(other.weight->dtype() == f64);
  CHECK(loss.weight->dtype() == f32);
  CHECK(w.dtype() == f32);
  nn::to(loss, f64);
  CHECK(loss.weight->dtype() == f64);
  CHECK(w.dtype() == f32);
  CHECK(nn::clone(loss).weight->dtype() == f64);
}

}  // namespace

TEST_CASE("losses: converting a loss or its clone leaves the caller's weights as they are") {
  const Tensor w = from_vector<float>({1, 2, 3}, {3});
  check_conversion(nn::CrossEntropyLoss({}, w), w);
  check_conversion(nn::NLLLoss({}, w), w);
  check_conversion(nn::BCELoss({.weight = w}), w);
  check_conversion(nn::BCEWithLogitsLoss({.weight = w, .pos_weight = w}), w);
  check_conversion(nn::MultiLabelSoftMarginLoss({.weight = w}), w);
  check_conversion(nn::MultiMarginLoss({.weight = w}), w);
}

TEST_CASE("losses: BCELoss refuses pos_weight, which only logits have") {
  CHECK_THROWS_WITH_AS(nn::BCELoss({.pos_weight = ones({3})}),
                       doctest::Contains("BCELoss: has no pos_weight"), Error);
}

TEST_CASE("losses: TripletMarginWithDistanceLoss calls its part, and a clone has the same one") {
  const Tensor a = from_vector<double>({0, 0, 1, 2}, {2, 2}),
               b = from_vector<double>({1, 2, 1, 3}, {2, 2}),
               c = from_vector<double>({2, 2, 1, 1}, {2, 2});
  nn::TripletMarginWithDistanceLoss loss;
  CHECK(loss(a, b, c).item() == doctest::Approx(0.70381946266321).epsilon(1e-12));
  loss.distance_function->p = 1;
  CHECK(loss(a, b, c).item() == doctest::Approx(0.4999990000000001).epsilon(1e-12));
  const auto other = nn::clone(loss);
  CHECK(other.distance_function->p == 1);
  CHECK(other(a, b, c).item() == loss(a, b, c).item());

  int calls = 0;
  std::string path;
  auto hook =
      nn::register_forward_hook(*loss.distance_function, [&](const Tensors&, const Tensor&) {
        ++calls;
        path = current_module();
        return Tensor();
      });
  (void)loss(a, b, c);
  CHECK(calls == 2);
  CHECK(path == "distance_function");

  const nn::TripletMarginWithDistanceLoss own(
      {.distance_function = [](const Tensor& x, const Tensor& y) { return sum(x - y, {1}); }});
  CHECK(!own.distance_function);
  CHECK(own(a, b, c).item() == 1);  // d = -3, -1 and -4, 1
  CHECK(nn::clone(own)(a, b, c).item() == 1);
}
