// Losses and distances where shapes differ or numbers are not finite. Expected values are
// PyTorch's.
#include <doctest/doctest.h>

#include <slope/autograd/backward.h>
#include <slope/nn/functional/losses.h>
#include <slope/tests/golden.h>
#include <slope/tests/leaf.h>

#include <cmath>

using namespace slope;
using namespace slope::nn;
using slope::test::leaf;
using test::check_close;

namespace {

void check_values(const Tensor& x, const Tensor& expected) {
  check_close(x, expected, 1e-12, 1e-15, "values");
}

}  // namespace

TEST_CASE("cosine_similarity: of the shape to which both tensors broadcast") {
  const Tensor rows = leaf({{1, 2, 2}, {3, 0, 4}}), row = leaf({2, 1, 2}),
               y = cosine_similarity(rows, row);
  check_values(y, tensor({8.0 / 9, 14.0 / 15}, f64));
  y.backward(tensor({1, 2}, f64));
  check_values(rows.grad(),
               tensor({{0.12345679012345678, -0.08641975308641975, 0.02469135802469136},
                       {0.04266666666666669, 0.13333333333333333, -0.03199999999999997}},
                      f64));
  check_values(row.grad(),
               tensor({-0.10123456790123458, -0.08395061728395062, 0.14320987654320988}, f64));
  // the column counts as two equal numbers
  const Tensor column = tensor({{1}, {2}}, f64);
  check_values(cosine_similarity(tensor({{3, 4}, {6, 8}}, f64), column),
               tensor({0.98994949366116647, 0.98994949366116647}, f64));
  check_values(cosine_similarity(tensor({1, 2, 2}, f64), tensor({{2, 1, 2}, {3, 0, 4}}, f64), 0),
               tensor({0.98058067569092011, 0.70710678118654746, 0.94868329805051366}, f64));
  check_values(cosine_similarity(tensor(3.0, f64), tensor(-2.0, f64), 0), tensor(-1.0, f64));
  CHECK_THROWS_AS((void)cosine_similarity(rows, tensor({1, 2}, f64)), ShapeError);
  // PyTorch's gradient does not see that a norm below eps was raised to it
  const Tensor small = leaf({1e-9, 0}), none = leaf({0, 0}), other = tensor({1, 1}, f64);
  const Tensor cosine = cosine_similarity(small, other, 0);
  check_values(cosine, tensor(0.070710678118654752, f64));
  cosine.backward();
  check_values(small.grad(), tensor({63639610.306789278, 70710678.118654752}, f64));
  cosine_similarity(none, other, 0).backward();
  check_values(none.grad(), tensor({70710678.118654752, 70710678.118654752}, f64));
}

TEST_CASE("kl_div: broadcasts; batchmean divides by the batch of log_q") {
  const Tensor log_q = leaf({{-1, -2}, {-3, -0.5}}), p = leaf({0.25, 0.75});
  check_values(kl_div(log_q, p, {.reduction = Reduction::none}),
               tensor({{-0.09657359027997264, 1.28423844566116441},
                       {0.40342640972002736, 0.15923844566116432}},
                      f64));
  const Tensor loss = kl_div(log_q, p, {.batchmean = true});
  check_values(loss, tensor(0.87516485538119171, f64));
  loss.backward();
  check_values(log_q.grad(), tensor({{-0.125, -0.375}, {-0.125, -0.375}}, f64));
  check_values(p.grad(), tensor({1.61370563888010943, 1.96231792754821921}, f64));

  struct Case {
    Tensor log_q, p;
    double expected;
  };
  for (const Case& c :
       {Case{tensor({{-1}, {-2}, {-3}}, f64), p.detach(), 1.43766485538119149},
        Case{tensor({-1, -2}, f64), tensor({{0.25, 0.75}, {0.5, 0.5}, {0.1, 0.9}}, f64),
             1.78471735071489901}})
    for (const bool log_target : {false, true})
      check_values(kl_div(c.log_q, log_target ? log(c.p) : c.p,
                          {.batchmean = true, .log_target = log_target}),
                   tensor(c.expected, f64));
  CHECK_THROWS_AS((void)kl_div(log_q, ones({3}, f64), {}), ShapeError);
  CHECK_THROWS_AS((void)kl_div(zeros({}), ones({2}), {.batchmean = true}), ShapeError);
}

TEST_CASE("gaussian_nll_loss: a variance of nan, inf or 0") {
  const Tensor var = leaf({INFINITY, NAN, 0, 1e-9, 2}),
               losses = gaussian_nll_loss(zeros({5}, f64), ones({5}, f64), var,
                                          {.reduction = Reduction::none});
  const std::vector<double> y = losses.to_vector();
  CHECK(y[0] == INFINITY);
  CHECK(std::isnan(y[1]));
  check_values(losses.narrow(0, 2, 3),
               tensor({499993.092244721018, 499993.092244721018, 0.596573590279972699}, f64));
  sum(losses).backward();
  CHECK(var.grad().to_vector()[0] == 0);
  CHECK(std::isnan(var.grad().to_vector()[1]));
  check_values(var.grad().narrow(0, 2, 3), tensor({-499999500000.0, -499999500000.0, 0.125}, f64));
  CHECK_THROWS_WITH((void)gaussian_nll_loss(zeros({2}), ones({2}), tensor({NAN, -1.0})),
                    doctest::Contains("negative"));
}

TEST_CASE("binary cross entropies: targets and weights must fit the predictions") {
  const Tensor x = tensor({{1, -2}, {0.5, 3}}, f64), t = tensor({{1, 0}, {0, 1}}, f64),
               by_row = tensor({{1}, {0.5}}, f64), by_column = tensor({2, 3}, f64);
  check_values(binary_cross_entropy_with_logits(
                   x, t, {.reduction = Reduction::none, .weight = by_row, .pos_weight = by_column}),
               tensor({{0.62652337503644573, 0.12692801104297269},
                       {0.48703849209005334, 0.07288102736061310}},
                      f64));
  const Tensor column = zeros({3, 1}), row = zeros({3}), one = ones({1}), larger = ones({2, 3}),
               longer = ones({4});
  const auto with_logits = [](const Tensor& x, const Tensor& t, const BceOptions& o) {
    CHECK_THROWS_AS((void)binary_cross_entropy_with_logits(x, t, o), ShapeError);
  };
  with_logits(column, row, {});
  with_logits(column, row, {.pos_weight = one});
  for (const Tensor& weight : {larger, longer}) {
    with_logits(row, row, {.weight = weight});
    with_logits(row, row, {.pos_weight = weight});
    CHECK_THROWS_AS((void)binary_cross_entropy(row, row, {.weight = weight}), ShapeError);
    CHECK_THROWS_WITH_AS((void)multilabel_soft_margin_loss(row, row, {.weight = weight}),
                         doctest::Contains("multilabel_soft_margin_loss"), ShapeError);
  }
  CHECK_THROWS_WITH_AS((void)multilabel_soft_margin_loss(column, row),
                       doctest::Contains("multilabel_soft_margin_loss"), ShapeError);
}

TEST_CASE("multi_margin_loss: weight has a number for each class") {
  const Tensor x = tensor({{0.1, 0.2, 0.7}, {0.5, 0.3, 0.2}}, f64), t = tensor({0, 2});
  check_values(
      multi_margin_loss(x, t, {.reduction = Reduction::none, .weight = tensor({1, 2, 0.5}, f64)}),
      tensor({0.9, 0.4}, f64));
  for (const Dims& shape : {Dims{5}, Dims{2}, Dims{3, 2}, Dims{3, 1}, Dims{}})
    CHECK_THROWS_AS((void)multi_margin_loss(x, t, {.weight = ones(shape, f64)}), ShapeError);
  CHECK_THROWS_AS((void)multi_margin_loss(x, t, {.weight = ones({3})}), DTypeError);
}

TEST_CASE("binary_cross_entropy: small probabilities; targets outside [0, 1] are refused") {
  const Tensor x = full({1}, 1e-10), t = zeros({1}).set_requires_grad(),
               loss = binary_cross_entropy(x, t);
  check_close(loss, tensor(1e-10), 1e-6, 0, "loss");
  loss.backward();
  check_close(t.grad(), tensor({23.025850929840455}), 1e-6, 0, "gradient");
  for (const double outside : {2.0, -0.5, static_cast<double>(NAN)})
    CHECK_THROWS_WITH((void)binary_cross_entropy(full({2}, 0.5), tensor({0.0, outside})),
                      "binary_cross_entropy: the targets must lie within [0, 1]");
}

TEST_CASE("multilabel_margin_loss: targets outside [-1, C) are refused, also behind the first -1") {
  for (const Tensor& t : {tensor({{0, -1, 7}}), tensor({{0, -1, 3}}), tensor({{0, -5, 1}})})
    CHECK_THROWS_WITH_AS((void)multilabel_margin_loss(zeros({1, 3}), t),
                         doctest::Contains("is outside [-1, 3)"), IndexError);
}
