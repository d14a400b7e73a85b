// checkpoint around modules: its second run is in the mode of the first.
#include <doctest/doctest.h>
#include <slope/autograd/checkpoint.h>
#include <slope/core/tensor/random.h>
#include <slope/nn/nn.h>

using namespace slope;
using Values = std::vector<double>;

TEST_CASE("checkpoint: the second run has the EvalMode of the first") {
  const nn::Dropout dropout(0.5);
  const Tensor x = ones({8}).set_requires_grad();
  const auto f = [&](const Tensors& in) { return dropout(in[0]) * 3; };
  Tensor y;
  {
    const nn::EvalMode eval_mode;
    y = checkpoint(f, {x});
  }
  sum(y).backward();
  CHECK(x.grad().to_vector() == Values(8, 3));

  manual_seed(1);
  y = checkpoint(f, {x});
  x.set_grad({});
  const nn::EvalMode eval_mode;
  sum(y).backward();
  CHECK(x.grad().to_vector() == y.to_vector());
  CHECK(y.to_vector() != Values(8, 3));
  CHECK(!dropout.training());
}

TEST_CASE("checkpoint: a module that was switched before backward is refused") {
  const nn::Dropout dropout(0.5);
  const Tensor x = ones({8}).set_requires_grad();
  const auto f = [&](const Tensors& in) { return dropout(in[0]); };
  const Tensor nested = sum(checkpoint([&](const Tensors& in) { return checkpoint(f, in); }, {x}));
  for (const Tensor& y : {sum(checkpoint(f, {x})), nested}) {
    nn::eval(dropout);
    CHECK_THROWS_WITH_AS(y.backward({}, true), doctest::Contains("was switched"), AutogradError);
    CHECK(!x.grad().defined());
    nn::train(dropout);
    y.backward();
    CHECK(x.grad().defined());
    x.set_grad({});
  }
}

TEST_CASE("checkpoint: the running averages of a BatchNorm1d count a batch once") {
  const nn::BatchNorm1d norm(3), straight(3);
  manual_seed(2);
  const Tensor x = randn({4, 3}).set_requires_grad();
  const auto squares = [&](const nn::BatchNorm1d& m) {
    return [&m](const Tensors& in) { return m(in[0]) * m(in[0]); };
  };
  const Tensor scale = randn({4, 3});
  sum(squares(straight)({x}) * scale).backward();
  const Values expected = x.grad().to_vector();
  x.set_grad({});
  const auto inner = [&](const Tensors& in) { return checkpoint(squares(norm), in); };
  sum(checkpoint(inner, {x}) * scale).backward();
  CHECK(x.grad().to_vector() == expected);
  CHECK(norm.num_batches_tracked->item() == 2);
  CHECK(norm.running_mean->to_vector() == straight.running_mean->to_vector());
  CHECK(norm.running_var->to_vector() == straight.running_var->to_vector());
}
