// Errors of functions that are compositions name the function that was called, with its operands.
#include <doctest/doctest.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/bags.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/losses.h>
#include <slope/nn/functional/normalisation.h>
#include <slope/nn/functional/one_hot.h>
#include <slope/nn/functional/random.h>
#include <slope/nn/functional/transposed.h>

#include <functional>
#include <utility>
#include <vector>

using namespace slope;
using namespace slope::nn;

namespace {

using Refused = std::vector<std::pair<const char*, std::function<Tensor()>>>;

void check_refused(const Refused& calls) {
  for (const auto& [text, call] : calls) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS((void)call(), doctest::Contains(text), OperandError);
  }
}

}  // namespace

TEST_CASE("functions: shapes that do not broadcast are refused by the function that was called") {
  const Tensor a = zeros({2, 3}), b = zeros({4, 3});
  check_refused({
      {"l1_loss: shapes (2, 3) and (4, 3)", [&] { return l1_loss(a, b); }},
      {"huber_loss: shapes (2, 3) and (4, 3)", [&] { return huber_loss(a, b); }},
      {"smooth_l1_loss: shapes (2, 3) and (4, 3)", [&] { return smooth_l1_loss(a, b); }},
      {"smooth_l1_loss: shapes (2, 3) and (4, 3)",
       [&] { return smooth_l1_loss(a, b, {.beta = 0}); }},
      {"poisson_nll_loss: shapes (2, 3) and (4, 3)", [&] { return poisson_nll_loss(a, b); }},
      {"gaussian_nll_loss: shapes (2, 3) and (4, 3)", [&] { return gaussian_nll_loss(a, b, a); }},
      {"margin_ranking_loss: shapes (2, 3) and (4, 3)",
       [&] { return margin_ranking_loss(a, b, a); }},
      {"margin_ranking_loss: shapes (2, 3) and (4, 3)",
       [&] { return margin_ranking_loss(a, a, b); }},
      {"hinge_embedding_loss: shapes (2, 3) and (4, 3)",
       [&] { return hinge_embedding_loss(a, b); }},
      {"soft_margin_loss: shapes (2, 3) and (4, 3)", [&] { return soft_margin_loss(a, b); }},
      {"triplet_margin_loss: shapes (2, 3) and (4, 3)",
       [&] { return triplet_margin_loss(a, a, b); }},
      {"triplet_margin_with_distance_loss: shapes (2, 3) and (4, 3)",
       [&] { return triplet_margin_with_distance_loss(a, b, a); }},
      {"pairwise_distance: shapes (2, 3) and (4, 3)", [&] { return pairwise_distance(a, b); }},
      {"bilinear: needs (*, in1), (*, in2), (out, in1, in2); got (2, 3), (4, 3), (5, 3, 3)",
       [&] {
         return bilinear(a, b, zeros({5, 3, 3}));
       }},
  });
}

TEST_CASE("functions: other operands that do not fit are refused by the function that was called") {
  const Tensor a = zeros({2, 3}), cube = zeros({2, 3, 5}), numbers = zeros({2, 3}, i64);
  check_refused({
      {"normalize: dim 5", [&] { return normalize(a, 2, 5); }},
      {"softmin: dim 3", [&] { return softmin(a, 3); }},
      {"softmin: needs float32 or float64, got int64", [&] { return softmin(numbers); }},
      {"gumbel_softmax: dim 7", [&] { return gumbel_softmax(a, {.dim = 7}); }},
      {"gumbel_softmax: needs float32", [&] { return gumbel_softmax(numbers); }},
      {"alpha_dropout: needs float32", [&] { return alpha_dropout(numbers); }},
      {"feature_alpha_dropout: needs float32", [&] { return feature_alpha_dropout(numbers); }},
      {"instance_norm: weight must have shape (2,), got (4,)",
       [&] { return instance_norm(a, zeros({4})); }},
      {"conv_tbc: needs (L, N, C) and (K, C, O), got (2, 3, 5) and (2, 3, 5)",
       [&] { return conv_tbc(cube, cube, {}); }},
      {"conv_tbc: bias must have shape (3,), got (4,)",
       [&] {
         return conv_tbc(cube, zeros({2, 5, 3}), zeros({4}));
       }},
      {"embedding_bag: weight must be (V, d), got (3,)",
       [&] { return embedding_bag(numbers, zeros({3})); }},
  });
}

TEST_CASE("functions: a class out of range is refused with its value and position") {
  const Tensor x = zeros({2, 3}), weight = ones({3});
  check_refused({
      {"one_hot: class 5 at position 2 is outside [0, 3)",
       [] {
         return one_hot(tensor({0, 1, 5, 2}), 3);
       }},
      {"one_hot: class -1 at position 0 is outside [0, 1)", [] { return one_hot(tensor({-1})); }},
      {"one_hot: class -2 at position 1 is outside [0, 4)",
       [] {
         return one_hot(tensor({3, -2}));
       }},
      {"multi_margin_loss: class 3 at position 1 is outside [0, 3)",
       [&] {
         return multi_margin_loss(x, tensor({0, 3}));
       }},
      {"cross_entropy: class 4 at position 1 is outside [0, 3)",
       [&] {
         return nn::cross_entropy(x, tensor({0, 4}), weight);
       }},
  });
}

TEST_CASE("operations: sizes that do not fit are named with the operands' shapes") {
  const Tensor a = zeros({2, 3}), b = zeros({4, 3});
  check_refused({
      {"einsum: in \"ij,jk->ik\" 'j' is 3 in operand 0 of shape (2, 3), but 4 in operand 1 of "
       "shape (4, 3)",
       [&] {
         return einsum("ij,jk->ik", {a, b});
       }},
      {"einsum: in \"...j,...j->...\" a dim of '...' is 2 in operand 0",
       [&] {
         return einsum("...j,...j->...", {a, b});
       }},
      {"rms_norm: weight must have the shape of x's last dims: x (2, 3), weight (4,)",
       [&] { return rms_norm(a, zeros({4})); }},
  });
}
