// The detectors on functions whose dependences are known. tests/tools/museum_test.py has what they
// find in whole models, broken and right.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>
#include <slope/nn/layers/dropout.h>
#include <slope/nn/layers/embedding.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/lint/lint.h>
#include <slope/nn/module/state.h>

#include <algorithm>

using namespace slope;
using namespace slope::nn::lint;

namespace {

struct LintedNet {
  nn::Linear used{3, 2}, unused{3, 2}, unlisted{3, 2};
  Tensor forward(const Tensor& x) const { return used(x) + unlisted(x); }
  SLOPE_MODULE(LintedNet, used, unused)
};

// f(x)_t = x_t + x_{t-1}, f(x)_0 = x_0
Tensor with_previous(const Tensor& x) {
  return x + pad(x.narrow(1, 0, x.size(1) - 1), {0, 0, 1, 0});
}

std::string first(const Findings& found) { return found.empty() ? "" : found[0].text; }

}  // namespace

TEST_CASE("lint: dependence of numbers and of ids, by change and by gradient") {
  manual_seed(1);
  const Dependence d = dependence(with_previous, randn({2, 4, 3}, f64));
  nn::Embedding table(9, 3);
  nn::to(table, f64);
  const Tensor ids = tensor({{1, 2, 3, 4}, {5, 6, 7, 8}});
  // table(ids) runs twice: the second call's input is another tensor with equal values
  const Dependence of_ids = dependence(
      [&](const Tensor& x) { return with_previous(table(x)) + flip(table(ids), {1}); }, ids);
  const Dependence of_rows = dependence(
      [&](const Tensor& x) {
        return with_previous(table(x.reshape({-1})).reshape({2, 4, 3}));
      },
      ids);
  for (const Dependence& each : {d, of_ids, of_rows}) {
    REQUIRE(each.change.shape() == Dims{4, 4});
    REQUIRE(each.gradient.shape() == Dims{4, 4});
    for (int64_t t = 0; t < 4; ++t)
      for (int64_t s = 0; s < 4; ++s) {
        const bool depends = s == t || s == t - 1;
        CHECK((each.change[t][s].item() > 0) == depends);
        CHECK((each.gradient[t][s].item() > 0) == depends);
      }
    CHECK(leaks(each).empty());
    CHECK(ignored_inputs(each).empty());
  }
  const auto reversed = [](const Tensor& x) { return flip(with_previous(x), {1}); };
  CHECK(first(leaks(dependence(reversed, randn({2, 4, 3}, f64))))
            .starts_with("output 0 depends on "
                         "input "));
  const auto half = [](const Tensor& x) { return x.narrow(1, 2, 2); };
  CHECK(first(ignored_inputs(dependence(half, randn({2, 4, 3}, f64)))) ==
        "no output depends on the inputs at positions (0, 1)");
  const auto constant = [](const Tensor& x) { return x * 0 + 1; };
  const auto zero = [](const Tensor& x) { return x * 0; };
  CHECK(leaks(dependence(zero, randn({2, 4, 3}, f64))).empty());
  for (const SequenceFunction& f : {SequenceFunction(constant), SequenceFunction(zero)})
    CHECK(ignored_inputs(dependence(f, randn({2, 4, 3}, f64))).size() == 2);
  // through a detached path the input changes the output, though no gradient shows it
  const auto cut = [](const Tensor& x) { return x + flip(x, {1}).detach(); };
  CHECK(!leaks(dependence(cut, randn({2, 4, 3}, f64))).empty());
}

TEST_CASE("lint: what f32 rounds away is no leak") {
  manual_seed(1);
  const auto rounds = [](const Tensor& x) {
    const Tensor all = sum(x, {1}, keepdim);
    return x + all - all;
  };
  const Dependence d = dependence(rounds, randn({2, 4, 3}));
  double most = 0;
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t s = t + 1; s < 4; ++s) most = std::max(most, d.change[t][s].item());
  CHECK(most > tolerance(f64));
  CHECK(leaks(d).empty());
  CHECK(ignored_inputs(d).empty());
}

TEST_CASE("lint: unused, foreign and dead parameters are named") {
  manual_seed(1);
  const LintedNet net;
  const Tensor x = randn({4, 3});
  const Tensor loss = sum(net(x) * net(x));
  const Findings unused = unused_parameters(net, loss), foreign = foreign_parameters(net, loss);
  REQUIRE(unused.size() == 2);
  CHECK(unused[0].text.starts_with("unused.weight (2, 3) is in no operation"));
  REQUIRE(foreign.size() == 2);
  CHECK(foreign[0].text.starts_with("(2, 3), first used by linear"));
  CHECK(dead_gradients(net, loss).empty());
  const Tensor shifted = sum(softmax(net(x)) * arange(2).to(f32)) + 0 * sum(net.unused(x));
  const Findings dead = dead_gradients(net, shifted);
  REQUIRE(dead.size() == 2);  // weight and bias of `unused`
  CHECK(dead[0].reason.empty());
  CHECK(count_unexplained(dead) == 2);
  CHECK(!net.used.weight.grad().defined());  // the check leaves no gradient behind
  nn::set_requires_grad(net, "unused.*", false);
  const Tensor again = sum(net(x) * net(x));
  CHECK(unused_parameters(net, again).empty());
  CHECK(dead_gradients(net, again).empty());
}

TEST_CASE("lint: a gradient of nan is not dead, and does not make others dead") {
  manual_seed(1);
  const LintedNet net;
  const Tensor factors = tensor({NAN, 1.0, 0.0});  // one column of nan, others finite
  const Tensor loss =
      sum(net(randn({4, 3}))) + sum(net.unused.weight * factors) + sum(*net.unused.bias);
  CHECK(dead_gradients(net, loss).empty());
}

TEST_CASE("lint: a bias that a softmax takes out is explained") {
  manual_seed(1);
  nn::Linear key(3, 3);
  nn::to(key, f64);
  const Tensor q = randn({4, 3}, f64), x = randn({5, 3}, f64), v = randn({5, 1}, f64);
  const Tensor loss = sum(softmax(q.matmul(key(x).transpose(0, 1))).matmul(v) * randn({4, 1}, f64));
  const Findings dead = dead_gradients(key, loss);
  REQUIRE(dead.size() == 1);
  CHECK(dead[0].text.starts_with("bias (3,) has the gradient 0"));
  CHECK(dead[0].reason.starts_with("weight has one"));
  CHECK(count_unexplained(dead) == 0);
}

TEST_CASE("lint: batch, lengths, training and evaluation") {
  manual_seed(1);
  const Tensor x = randn({3, 4, 2}, f64);
  const auto normalised = [](const Tensor& y) { return y - mean(y, {0}, keepdim); };
  CHECK(batch_influence(normalised, x).size() == 1);
  CHECK(batch_influence(with_previous, x).empty());
  const auto of_four = [](const Tensor& y) { return y.reshape({-1, 4, 2}); };
  CHECK(first(refused_lengths(of_four, x.narrow(0, 0, 1)))
            .starts_with("3 of the lengths 1 to 4 are refused; 1: "));
  const nn::Dropout drops(0.5), keeps(0.0);
  CHECK(train_against_eval(drops, [&] { return drops(x); }).size() == 1);
  CHECK(train_against_eval(keeps, [&] { return keeps(x); }).empty());
  CHECK(drops.training());  // restored
}

TEST_CASE("lint: lonely indices of an einsum") {
  CHECK(lonely_indices("bhqk,bkhd->bqhd").empty());
  CHECK(lonely_indices("ij,jk").empty());  // the result has i and k
  const Findings found = lonely_indices("bhqk, bvhd -> bqhd");
  REQUIRE(found.size() == 2);
  CHECK(found[0].text == "\"bhqk, bvhd -> bqhd\" sums bhqk over k, which no other operand has");
  CHECK(count_unexplained(lonely_indices("ij->i")) == 0);
}
