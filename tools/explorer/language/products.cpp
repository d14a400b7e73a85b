// Products, losses and attention.
#include <slope/tools/explorer/language/functions.h>

namespace slope::explorer {

namespace {

using A = const Arguments&;

Reduction reduction(A a) {
  const std::string name = a.text("reduction", "mean");
  if (name == "mean") return Reduction::mean;
  if (name == "sum") return Reduction::sum;
  if (name == "none") return Reduction::none;
  throw UsageError(fmt::format("the reduction has to be 'mean', 'sum' or 'none', got '{}'", name));
}
CrossEntropyOptions cross_entropy_options(A a) {
  return {.ignore_index = a.integer("ignore_index", -100),
          .label_smoothing = a.number("label_smoothing", 0),
          .reduction = reduction(a)};
}
// Evaluates q, k, v in this order with every compiler, so that the first missing one is reported.
Tensor attention(A a) {
  const Tensor q = a.tensor("q"), k = a.tensor("k"), v = a.tensor("v");
  AttentionOptions options{.causal = a.truth("causal", false)};
  if (a.has("mask")) options.mask = a.truths("mask");
  return scaled_dot_product_attention(q, k, v, options);
}

constexpr Function products[] = {
    {"matmul", "a, b", [](A a) { return Value{matmul(a.tensor("a"), a.tensor("b"))}; }},
    {"bmm", "a, b", [](A a) { return Value{bmm(a.tensor("a"), a.tensor("b"))}; }},
    {"linear", "x, weight, bias = none",
     [](A a) {
       return Value{linear(a.tensor("x"), a.tensor("weight"), a.tensor_or_none("bias"))};
     }},
    {"einsum", "equation, xs",
     [](A a) { return Value{einsum(a.text("equation"), a.tensors("xs"))}; }},
    {"scaled_dot_product_attention", "q, k, v, causal = false, mask = none",
     [](A a) { return Value{attention(a)}; }},
    {"cross_entropy",
     "logits, target, reduction = 'mean', label_smoothing = 0, ignore_index = -100",
     [](A a) {
       return Value{
           cross_entropy(a.tensor("logits"), a.integers("target"), cross_entropy_options(a))};
     }},
    {"linear_cross_entropy",
     "x, weight, bias = none, target, reduction = 'mean', label_smoothing = 0, ignore_index = -100",
     [](A a) {
       return Value{linear_cross_entropy(a.tensor("x"), a.tensor("weight"),
                                         a.tensor_or_none("bias"), a.integers("target"),
                                         cross_entropy_options(a))};
     }},
    {"nll_loss", "log_probabilities, target, reduction = 'mean'",
     [](A a) {
       return Value{nll_loss(a.tensor("log_probabilities"), a.integers("target"),
                             {.reduction = reduction(a)})};
     }},
    {"mse_loss", "x, target, reduction = 'mean'",
     [](A a) { return Value{mse_loss(a.tensor("x"), a.tensor("target"), reduction(a))}; }},
    {"bce_with_logits", "x, target, reduction = 'mean'",
     [](A a) { return Value{bce_with_logits(a.tensor("x"), a.tensor("target"), reduction(a))}; }},
    {"kl_div", "log_q, p, reduction = 'mean'",
     [](A a) { return Value{kl_div(a.tensor("log_q"), a.tensor("p"), reduction(a))}; }},
};

}  // namespace

std::span<const Function> product_functions() { return products; }

}  // namespace slope::explorer
