// The distance of a model's gradient under Autocast(bf16) from that in f64, compared with PyTorch's
// on the same weights and batch (tests/golden/bf16.py).
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/core/product/autocast.h>
#include <slope/models/char_gpt.h>

#include <cmath>

#include "../golden_cases.h"

using namespace slope;
using namespace slope::test;

namespace {

std::vector<double> gradient(const GoldenTensors& golden, const std::string& moment, DType dtype,
                             DType products) {
  char_gpt::CharGpt model(
      {.vocab_size = 27, .block_size = 64, .n_layer = 2, .n_head = 2, .n_embd = 44, .dropout = 0});
  REQUIRE(nn::load(model, golden.under(moment + "/")).ok());
  nn::to(model, dtype);
  {
    const Autocast autocast(products);
    model.loss(golden.at("input"), golden.at("label")).backward();
  }
  std::vector<double> all;
  for (const Tensor& p : nn::parameters(model))
    for (const double g : p.grad().to_vector()) all.push_back(g);
  return all;
}

double relative_error(const std::vector<double>& x, const std::vector<double>& exact) {
  double error = 0, size = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    error += (x[i] - exact[i]) * (x[i] - exact[i]);
    size += exact[i] * exact[i];
  }
  return std::sqrt(error / size);
}

}  // namespace

TEST_CASE("bf16: the gradient of a GPT is at least as near to f64's as PyTorch's, within a tenth") {
  const GoldenTensors golden("bf16.safetensors");
  for (const std::string moment : {"first", "trained"}) {
    const std::vector<double> exact = gradient(golden, moment, f64, f32);
    const double ours = relative_error(gradient(golden, moment, f32, bf16), exact),
                 of_pytorch = golden.at("error/" + moment).item();
    MESSAGE(fmt::format("{}: {:.2g}, PyTorch {:.2g}", moment, ours, of_pytorch));
    CHECK(relative_error(gradient(golden, moment, f32, f32), exact) < 1e-5);
    CHECK(ours > 1e-4);  // products were rounded
    CHECK(ours <= 1.1 * of_pytorch);
  }
}
