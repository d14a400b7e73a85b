#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/layers/round_weights.h>
#include <slope/tests/nn/models.h>

using namespace slope;
using test::bytes_of;
using test::Config;
using test::Tiny;

namespace {

struct TwoLayers {
  nn::Linear a{2, 2, false}, b{2, 2, false};
  TwoLayers() { nn::tie(a.weight, b.weight); }
  TwoLayers blank() const { return {}; }
  Tensor forward(const Tensor& x) const { return b(a(x)); }
  SLOPE_MODULE(TwoLayers, a, b)
};
struct Two {
  nn::Linear a, b;
  explicit Two(int64_t width) : a(2, 2), b(2, width) {}
  SLOPE_MODULE(Two, a, b)
};
struct Whole {
  Two two;
  explicit Whole(int64_t width) : two(width) {}
  SLOPE_MODULE(Whole, two)
};

}  // namespace

TEST_CASE("clone: of a model whose ties were cut") {
  TwoLayers pair;
  pair.b.weight = nn::Parameter(full({2, 2}, 7));
  {
    const NoGrad no_grad;
    fill(pair.a.weight, 2);
  }
  const TwoLayers copy = nn::clone(pair);
  CHECK(equal(copy.a.weight, full({2, 2}, 2)));
  CHECK(equal(copy.b.weight, full({2, 2}, 7)));
  CHECK(copy.b.weight.requires_grad());
}

TEST_CASE("clone: independent, tied like the original, draws no random numbers") {
  manual_seed(6);
  Tiny model(Config{});
  nn::to(model, f64);
  model.blocks[1].module_state.training = false;
  model.net.get<0>().weight.set_requires_grad(false);
  const Generator before = generator();
  const Tiny copy = nn::clone(model);
  CHECK(generator() == before);
  CHECK(bytes_of(copy) == bytes_of(model));
  CHECK(copy.head.weight.is_same(copy.embed.weight));
  CHECK(!copy.head.weight.is_same(model.head.weight));
  CHECK(copy.blocks[0].training());
  CHECK(!copy.blocks[1].training());
  CHECK(!copy.net.get<0>().weight.requires_grad());
  CHECK(copy.table.dtype() == f64);
  {
    const NoGrad no_grad;
    fill(copy.head.weight, 0);
  }
  CHECK(bytes_of(copy) != bytes_of(model));

  nn::Sequential net(nn::Linear(2, 3), nn::Dropout(0.2), nn::LayerNorm(3), nn::RMSNorm(3),
                     nn::GELU(Gelu::tanh), nn::FeedForward(3, 4),
                     nn::Embedding(3, 2, {.padding_idx = 1}));
  const auto twin = nn::clone(net);
  CHECK(nn::to_string(twin) == nn::to_string(net));
  CHECK(format_safetensors(nn::state_dict(twin).tensors) ==
        format_safetensors(nn::state_dict(net).tensors));
}

TEST_CASE("copy_state: refuses a model of other shapes by name, and nothing changes") {
  const Whole from(3), to(4);
  const std::vector<double> before = to.two.a.weight.to_vector();
  CHECK_THROWS_WITH_AS(
      nn::copy_state(from, to),
      "copy_state: two.b.weight has shape (3, 2) in one model and (4, 2) in the other", UsageError);
  CHECK(to.two.a.weight.to_vector() == before);
}

TEST_CASE("copy_state: a gradient follows its parameter to another dtype") {
  const nn::Linear a(2, 2), b(2, 2);
  nn::to(b, f64);
  sum(b(ones({1, 2}, f64))).backward();
  nn::copy_state(a, b);
  CHECK(b.weight.dtype() == f32);
  CHECK(b.weight.grad().dtype() == f32);
  CHECK(b.weight.grad().to_vector() == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("copy_state: between weights in bf16, which are frozen, and weights that train") {
  nn::Linear trained(2, 2), rounded(2, 2);
  nn::set_requires_grad(rounded, "*", false);
  nn::round_weights(rounded);
  nn::Linear into_trained(2, 2);
  nn::copy_state(rounded, into_trained);
  CHECK(into_trained.weight.dtype() == bf16);
  CHECK(!into_trained.weight.requires_grad());
  nn::copy_state(trained, into_trained);
  CHECK(into_trained.weight.dtype() == f32);
  CHECK(into_trained.weight.requires_grad());
  CHECK(into_trained.weight.to_vector() == trained.weight.to_vector());
}
