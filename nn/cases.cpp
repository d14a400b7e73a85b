#include <slope/nn/cases.h>
#include <slope/nn/functional/attention.h>
#include <slope/nn/transformer/heads.h>

namespace slope::nn {

namespace {

std::vector<Case> heads_cases() {
  const auto split = [](const Tensors& x) { return Tensors{split_heads(x[0], 2)}; };
  const auto merge = [](const Tensors& x) { return Tensors{merge_heads(x[0])}; };
  const auto causal = [](const Tensors& x) {
    return Tensors{attend(x[0], x[1], x[2], Mask::causal(3))};
  };
  const auto plain = [](const Tensors& x) { return Tensors{attend(x[0], x[1], x[2])}; };
  const auto weights = [](const Tensors& x) {
    const auto [y, w] = attend_with_weights(x[0], x[1], x[2], Mask::causal(3));
    return Tensors{y, w};
  };
  const auto biased = [](const Tensors& x) {
    const auto [y, w] = biased_attention(x[0], x[1], x[2], Mask::add(x[3]) & Mask::causal(3));
    return Tensors{y, w};
  };
  const auto grouped = [](const Tensors& x) {
    return Tensors{nn::scaled_dot_product_attention(x[0], x[1], x[2],
                                                    {.is_causal = true, .enable_gqa = true})};
  };
  const std::vector<CaseInput> heads{{{2, 2, 3, 4}}, {{2, 2, 3, 4}}, {{2, 2, 3, 4}}},
      one{{{1, 1, 1, 1}}, {{1, 1, 1, 1}}, {{1, 1, 1, 1}}},
      nothing{{{0, 2, 3, 4}}, {{0, 2, 3, 4}}, {{0, 2, 3, 4}}},
      with_bias{{{2, 2, 3, 4}}, {{2, 2, 3, 4}}, {{2, 2, 3, 4}}, {{2, 3, 3}}},
      shared{{{1, 2, 3, 4}}, {{1, 1, 4, 4}}, {{1, 1, 4, 2}}};
  return {
      {"split_heads", "two heads", {{{2, 3, 4}}}, split},
      {"split_heads", "empty", {{{0, 3, 4}}}, split},
      {"merge_heads", "two heads", {{{2, 2, 3, 2}}}, merge},
      {"merge_heads", "n = 1", {{{1, 1, 1, 1}}}, merge},
      {"merge_heads", "empty", {{{0, 2, 3, 2}}}, merge},
      {"attend", "causal", heads, causal},
      {"attend", "no mask", heads, plain},
      {"attend", "n = 1", one, plain},
      {"attend", "empty", nothing, plain},
      {"attend_with_weights", "causal", heads, weights},
      {"biased_attention", "a bias per head, query and key", with_bias, biased},
      {"scaled_dot_product_attention", "two heads share keys, causal", shared, grouped},
  };
}

}  // namespace

const std::vector<Case>& function_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = heads_cases();
    for (Case& c : functional_cases()) all.push_back(std::move(c));
    for (Case& c : window_cases()) all.push_back(std::move(c));
    return all;
  }();
  return cases;
}

}  // namespace slope::nn
