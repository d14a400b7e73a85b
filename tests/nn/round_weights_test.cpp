// Weights in bf16: which are rounded, what a linear layer gives with them, what is refused.
#include <doctest/doctest.h>
#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/parallel.h>
#include <slope/nn/layers/embedding.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/layers/round_weights.h>
#include <slope/nn/module/clone.h>
#include <slope/nn/module/state.h>
#include <slope/tests/threads.h>

using namespace slope;

namespace {

struct TiedLayers {
  nn::Embedding table{10, 6};
  nn::Linear hidden{6, 6}, head{6, 10, false};
  TiedLayers() { nn::tie(table.weight, head.weight); }
  TiedLayers blank() const { return {}; }
  Tensor forward(const Tensor& ids) const { return head(hidden(table(ids))); }
  SLOPE_MODULE(TiedLayers, table, hidden, head)
};

}  // namespace

TEST_CASE("round_weights: the weights of linear layers, but for one that an embedding shares") {
  manual_seed(1);
  const TiedLayers model;
  const Tensor before = model.hidden.weight.detach().clone();
  CHECK(nn::round_weights(model) == 36);
  CHECK(model.hidden.weight.dtype() == bf16);
  CHECK(model.hidden.weight.to(f32).to_vector() == before.to(bf16).to(f32).to_vector());
  CHECK(model.hidden.bias->dtype() == f32);
  CHECK(model.head.weight.dtype() == f32);
  CHECK(nn::round_weights(model) == 0);
  const NoGrad no_grad;
  CHECK(model(tensor({3, 9}, i64)).shape() == Dims{2, 10});
}

TEST_CASE("round_weights: linear with few and many rows, on any number of threads") {
  const KeepThreads restore;
  manual_seed(2);
  const NoGrad no_grad;
  for (const bool bias : {false, true})
    for (const auto& [rows, in, out] : {std::array<int64_t, 3>{1, 1, 1},
                                        {1, 67, 300},
                                        {5, 256, 700},
                                        {7, 33, 70},
                                        {15, 300, 129},
                                        {16, 100, 200},
                                        {90, 65, 131}}) {
      const nn::Linear exact(in, out, bias);
      const Tensor W = exact.weight.detach().to(bf16), b = nn::or_none(exact.bias),
                   x = randn({rows, in}), expected = linear(x, W.to(f32), b);
      Tensor first;
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        const Tensor y = linear(x, W, b);
        if (!first.defined()) first = y;
        CHECK(y.to_vector() == first.to_vector());
        CHECK((y - expected).abs().max().item() < 1e-5);
      }
      // a row has the same bits whatever else is multiplied with it
      if (rows < 16)
        CHECK(linear(x.narrow(0, rows - 1, 1), W, b).to_vector() ==
              first.narrow(0, rows - 1, 1).to_vector());
    }
  const Tensor W = randn({4, 3}).to(bf16);
  CHECK(linear(zeros({0, 3}), W, Tensor()).shape() == Dims{0, 4});
  CHECK(linear(randn({2, 5, 3}), W, Tensor()).shape() == Dims{2, 5, 4});
  CHECK(linear_cross_entropy(ones({2, 3}), W, Tensor(), tensor({1, 2}, i64)).item() ==
        doctest::Approx(
            linear_cross_entropy(ones({2, 3}), W.to(f32), Tensor(), tensor({1, 2}, i64)).item()));
}

TEST_CASE("round_weights: gradients and other dtypes are refused") {
  const Tensor W = randn({4, 3}).to(bf16), x = randn({2, 3});
  const char* for_inference =
      "linear: a weight in bfloat16 is for inference; use NoGrad, or convert it with to(f32)";
  CHECK_THROWS_WITH_AS((void)linear(x.clone().set_requires_grad(), W, Tensor()), for_inference,
                       Error);
  for (const int64_t rows : {2, 30})
    CHECK_THROWS_WITH_AS((void)linear(randn({rows, 3}), W, zeros({4}).set_requires_grad()),
                         for_inference, Error);
  CHECK_THROWS_WITH_AS((void)linear(x.to(f64), W, Tensor()),
                       "linear: a weight in bfloat16 needs float32 input and bias, got float64",
                       DTypeError);
}

TEST_CASE("round_weights: a clone has the same dtypes and flags, and elements of its own") {
  manual_seed(3);
  TiedLayers model;
  model.head.weight = nn::Parameter(randn({10, 6}));  // no longer tied: rounded too
  CHECK(nn::round_weights(model) == 96);
  model.hidden.weight.set_requires_grad(false);
  model.hidden.bias->set_requires_grad(false);
  const TiedLayers copy = nn::clone(model);
  const NamedTensors from = nn::named_parameters(model), to = nn::named_parameters(copy);
  REQUIRE(to.size() == from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const Tensor &x = from[i].tensor, &y = to[i].tensor;
    CHECK(y.dtype() == x.dtype());
    CHECK(y.requires_grad() == x.requires_grad());
    CHECK(y.to_vector() == x.to_vector());
    CHECK(!(y.storage() == x.storage()));
  }
}
