// Tensor's methods are the functions of the same names.
#include <doctest/doctest.h>
#include <slope/autograd/ops.h>

#include <cmath>

using namespace slope;

TEST_CASE("methods: each elementwise one is the function") {
  const Tensor x = tensor({{0.5, 1.25}, {2.0, 0.75}});
  struct Pair {
    Tensor (Tensor::*method)() const;
    Tensor (*function)(const Tensor&);
  };
  for (const Pair& p : {Pair{&Tensor::neg, neg},
                        {&Tensor::abs, abs},
                        {&Tensor::sign, sign},
                        {&Tensor::exp, exp},
                        {&Tensor::expm1, expm1},
                        {&Tensor::log, log},
                        {&Tensor::log1p, log1p},
                        {&Tensor::sqrt, sqrt},
                        {&Tensor::rsqrt, rsqrt},
                        {&Tensor::sin, sin},
                        {&Tensor::cos, cos},
                        {&Tensor::tanh, tanh},
                        {&Tensor::sigmoid, sigmoid},
                        {&Tensor::relu, relu},
                        {&Tensor::erf, erf}})
    CHECK(equal((x.*p.method)(), p.function(x)));
  CHECK(equal(x.pow(2), x * x));
  CHECK(equal(x.pow(x), pow(x, x)));
  CHECK(equal(x.clamp(0.6, 1.5), clamp(x, 0.6, 1.5)));
  CHECK(equal(x.clamp({}, 1.5), clamp(x, {}, 1.5)));
  CHECK(equal(x.masked_fill(x > 1, 9), masked_fill(x, x > 1, 9)));
  CHECK(equal(x.softmax(-1), softmax(x, -1)));
  CHECK(equal(x.softmax(0), softmax(x, 0)));
  CHECK(equal(x.log_softmax(-1), log_softmax(x, -1)));
  CHECK(equal(x.cumsum(0), cumsum(x, 0)));
  CHECK(equal(x.matmul(x), matmul(x, x)));
}

TEST_CASE("methods: reductions over all elements, over one dim, over a list") {
  const Tensor x = tensor({{1.0, 5.0, 2.0}, {4.0, 0.5, 3.0}});
  CHECK(x.sum().item() == 15.5);
  CHECK(x.sum({}).item() == 15.5);
  CHECK(equal(x.sum(0), sum(x, {0})));
  CHECK(equal(x.sum({0}), sum(x, {0})));
  CHECK(equal(x.sum(-1, keepdim), sum(x, {1}, keepdim)));
  CHECK(x.sum({0, 1}).item() == 15.5);
  CHECK(equal(x.mean(1), mean(x, {1})));
  CHECK(x.mean().item() == mean(x).item());
  CHECK(equal(x.var(), var(x)));
  CHECK(equal(x.var(0, 0), var(x, {0}, 0)));
  CHECK(equal(x.std(-1, 1, keepdim), slope::std(x, {1}, 1, keepdim)));
  CHECK(equal(x.amax(0), amax(x, {0})));
  CHECK(equal(x.amin({0, 1}), amin(x)));
  CHECK(equal(x.logsumexp(-1), logsumexp(x, {1})));
  CHECK(equal(x.norm(), norm(x)));
  CHECK(equal(x.norm(1, {0}), norm(x, 1, {0})));
  CHECK(equal(x.prod(), prod(x)));
  CHECK(equal(x.prod(0), prod(x, 0)));
  CHECK(x.max().item() == 5);
  CHECK(x.min().item() == 0.5);
  CHECK(equal(x.max(1).indices, tensor({1, 0})));
  CHECK(equal(x.min(0).values, tensor({1.0, 0.5, 2.0})));
  CHECK(x.argmax().item<int64_t>() == 1);
  CHECK(x.argmin().item<int64_t>() == 4);
  CHECK(equal(x.argmax(0), tensor({1, 0, 1})));
  CHECK(equal(x.argmin(1, keepdim), tensor({{0}, {1}})));
  CHECK(equal(x.sort().values, sort(x).values));
  CHECK(equal(x.topk(2).indices, topk(x, 2).indices));
}
