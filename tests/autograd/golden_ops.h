// Maps PyTorch's name of an operation to a call of slope's: x are the inputs, in PyTorch's order, a
// the other arguments.
#pragma once

#include <slope/autograd/ops.h>

#include <functional>
#include <limits>
#include <map>

#include "../golden_cases.h"

namespace slope::test {

using GoldenOp = std::function<Tensors(const Tensors& x, const Args& a)>;

inline Reduction reduction(const Args& a) {
  const std::string word = a.word("reduction");
  return word == "none"                         ? Reduction::none
         : word == "sum" || word == "batchmean" ? Reduction::sum
                                                : Reduction::mean;
}
inline CrossEntropyOptions cross_entropy_options(const Args& a) {
  return {.ignore_index = a.integer("ignore_index", -100),
          .label_smoothing = a.number("label_smoothing"),
          .reduction = reduction(a)};
}
inline Tensors both(const ValuesAndIndices& r) { return {r.values, r.indices}; }
inline std::optional<double> optional_number(const Args& a, const std::string& key) {
  return a.has(key) ? std::optional(a.number(key)) : std::nullopt;
}
inline Tensor nth(const Tensors& x, size_t i) { return i < x.size() ? x[i] : Tensor(); }

inline Tensors attention(const Tensors& x, const Args& a) {
  const AttentionOptions options{
      .mask = nth(x, 3), .causal = a.flag("causal"), .scale = optional_number(a, "scale")};
  if (!a.flag("weights")) return {scaled_dot_product_attention(x[0], x[1], x[2], options)};
  const auto [output, weights] =
      scaled_dot_product_attention_with_weights(x[0], x[1], x[2], options);
  return {output, weights};
}

// One repeat count for each row: slope has no such operation, but index_select gives the same.
inline Tensors repeat_rows(const Tensors& x, const Args& a) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < x[1].numel(); ++i)
    rows.insert(rows.end(), static_cast<size_t>(x[1].data<int64_t>()[i]), i);
  return {
      index_select(x[0], a.integer("dim"), from_vector(rows, {static_cast<int64_t>(rows.size())}))};
}

inline Tensor kl(const Tensors& x, const Args& a) {
  const Tensor loss = kl_div(x[0], a.flag("log_target") ? exp(x[1]) : x[1], reduction(a));
  return a.word("reduction") == "batchmean" ? loss / static_cast<double>(x[0].size(0)) : loss;
}

// PyTorch's default is the dtype's epsilon
inline double rms_eps(const Tensors& x, const Args& a) {
  return a.number("eps", x[0].dtype() == f64 ? std::numeric_limits<double>::epsilon()
                                             : std::numeric_limits<float>::epsilon());
}

inline const std::map<std::string, GoldenOp>& golden_ops() {
  using X = const Tensors&;
  using A = const Args&;
  static const std::map<std::string, GoldenOp> table = {
      // two inputs
      {"add", [](X x, A) { return Tensors{x[0] + x[1]}; }},
      {"sub", [](X x, A) { return Tensors{x[0] - x[1]}; }},
      {"mul", [](X x, A) { return Tensors{x[0] * x[1]}; }},
      {"div", [](X x, A) { return Tensors{x[0] / x[1]}; }},
      {"maximum", [](X x, A) { return Tensors{maximum(x[0], x[1])}; }},
      {"minimum", [](X x, A) { return Tensors{minimum(x[0], x[1])}; }},
      {"pow", [](X x, A) { return Tensors{pow(x[0], x[1])}; }},
      {"pow_scalar", [](X x, A a) { return Tensors{pow(x[0], a.number("exponent"))}; }},
      {"where", [](X x, A) { return Tensors{where(x[0], x[1], x[2])}; }},
      {"masked_fill", [](X x, A a) { return Tensors{masked_fill(x[0], x[1], a.number("value"))}; }},
      // one input
      {"neg", [](X x, A) { return Tensors{-x[0]}; }},
      {"abs", [](X x, A) { return Tensors{abs(x[0])}; }},
      {"exp", [](X x, A) { return Tensors{exp(x[0])}; }},
      {"expm1", [](X x, A) { return Tensors{expm1(x[0])}; }},
      {"log", [](X x, A) { return Tensors{log(x[0])}; }},
      {"log1p", [](X x, A) { return Tensors{log1p(x[0])}; }},
      {"sqrt", [](X x, A) { return Tensors{sqrt(x[0])}; }},
      {"rsqrt", [](X x, A) { return Tensors{rsqrt(x[0])}; }},
      {"sin", [](X x, A) { return Tensors{sin(x[0])}; }},
      {"cos", [](X x, A) { return Tensors{cos(x[0])}; }},
      {"tanh", [](X x, A) { return Tensors{tanh(x[0])}; }},
      {"sigmoid", [](X x, A) { return Tensors{sigmoid(x[0])}; }},
      {"relu", [](X x, A) { return Tensors{relu(x[0])}; }},
      {"silu", [](X x, A) { return Tensors{silu(x[0])}; }},
      {"erf", [](X x, A) { return Tensors{erf(x[0])}; }},
      {"softplus", [](X x, A) { return Tensors{softplus(x[0])}; }},
      {"gelu", [](X x, A) { return Tensors{gelu(x[0])}; }},
      {"gelu_tanh", [](X x, A) { return Tensors{gelu(x[0], Gelu::tanh)}; }},
      {"clamp",
       [](X x, A a) {
         return Tensors{clamp(x[0], optional_number(a, "min"), optional_number(a, "max"))};
       }},
      // reductions and order
      {"sum", [](X x, A a) { return Tensors{sum(x[0], a.dims("dim"), a.flag("keepdim"))}; }},
      {"mean", [](X x, A a) { return Tensors{mean(x[0], a.dims("dim"), a.flag("keepdim"))}; }},
      {"prod",
       [](X x, A a) {
         return Tensors{a.has("dim") ? prod(x[0], a.integer("dim"), a.flag("keepdim")) : prod(x[0])};
       }},
      {"var",
       [](X x, A a) {
         return Tensors{var(x[0], a.dims("dim"), a.number("correction"), a.flag("keepdim"))};
       }},
      {"std",
       [](X x, A a) {
         return Tensors{std(x[0], a.dims("dim"), a.number("correction"), a.flag("keepdim"))};
       }},
      {"max", [](X x, A) { return Tensors{max(x[0])}; }},
      {"min", [](X x, A) { return Tensors{min(x[0])}; }},
      {"max_dim", [](X x, A a) { return both(max(x[0], a.integer("dim"), a.flag("keepdim"))); }},
      {"min_dim", [](X x, A a) { return both(min(x[0], a.integer("dim"), a.flag("keepdim"))); }},
      {"amax", [](X x, A a) { return Tensors{amax(x[0], a.dims("dim"), a.flag("keepdim"))}; }},
      {"amin", [](X x, A a) { return Tensors{amin(x[0], a.dims("dim"), a.flag("keepdim"))}; }},
      {"argmax",
       [](X x, A a) {
         return Tensors{a.has("dim") ? argmax(x[0], a.integer("dim")) : argmax(x[0].reshape({-1}), 0)};
       }},
      {"argmin",
       [](X x, A a) {
         return Tensors{a.has("dim") ? argmin(x[0], a.integer("dim")) : argmin(x[0].reshape({-1}), 0)};
       }},
      {"sort", [](X x, A a) { return both(sort(x[0], a.integer("dim"), a.flag("descending"))); }},
      {"topk",
       [](X x, A a) {
         return both(topk(x[0], a.integer("k"), a.integer("dim"), a.flag("largest")));
       }},
      {"logsumexp",
       [](X x, A a) {
         return Tensors{logsumexp(x[0], a.dims("dim"), a.flag("keepdim"))};
       }},
      {"cumsum", [](X x, A a) { return Tensors{cumsum(x[0], a.integer("dim"))}; }},
      {"norm",
       [](X x, A a) {
         return Tensors{norm(x[0], a.number("p"), a.dims("dim"), a.flag("keepdim"))};
       }},
      // products
      {"matmul", [](X x, A) { return Tensors{matmul(x[0], x[1])}; }},
      {"bmm", [](X x, A) { return Tensors{bmm(x[0], x[1])}; }},
      {"linear", [](X x, A) { return Tensors{linear(x[0], x[1], nth(x, 2))}; }},
      {"einsum", [](X x, A a) { return Tensors{einsum(a.word("equation"), x)}; }},
      // shapes
      {"reshape", [](X x, A a) { return Tensors{reshape(x[0], a.dims("shape"))}; }},
      {"transpose",
       [](X x, A a) {
         return Tensors{transpose(x[0], a.integer("dim0"), a.integer("dim1"))};
       }},
      {"permute", [](X x, A a) { return Tensors{permute(x[0], a.dims("dims"))}; }},
      {"expand", [](X x, A a) { return Tensors{expand(x[0], a.dims("shape"))}; }},
      {"narrow",
       [](X x, A a) {
         return Tensors{narrow(x[0], a.integer("dim"), a.integer("start"), a.integer("length"))};
       }},
      {"slice",
       [](X x, A a) {
         return Tensors{slice(x[0], a.integer("dim"), a.integer("start"), a.integer("end"),
                              a.integer("step"))};
       }},
      {"select",
       [](X x, A a) {
         return Tensors{select(x[0], a.integer("dim"), a.integer("index"))};
       }},
      {"cat", [](X x, A a) { return Tensors{cat(x, a.integer("dim"))}; }},
      {"stack", [](X x, A a) { return Tensors{stack(x, a.integer("dim"))}; }},
      {"split", [](X x, A a) { return split(x[0], a.integer("size"), a.integer("dim")); }},
      {"split_sizes", [](X x, A a) { return split(x[0], a.dims("sizes"), a.integer("dim")); }},
      {"chunk", [](X x, A a) { return chunk(x[0], a.integer("chunks"), a.integer("dim")); }},
      {"unbind", [](X x, A a) { return unbind(x[0], a.integer("dim")); }},
      {"pad", [](X x, A a) { return Tensors{pad(x[0], a.dims("pad"), a.number("value"))}; }},
      {"tril", [](X x, A a) { return Tensors{tril(x[0], a.integer("diagonal"))}; }},
      {"triu", [](X x, A a) { return Tensors{triu(x[0], a.integer("diagonal"))}; }},
      {"flip", [](X x, A a) { return Tensors{flip(x[0], a.dims("dims"))}; }},
      {"roll", [](X x, A a) { return Tensors{roll(x[0], a.dims("shifts"), a.dims("dims"))}; }},
      {"repeat", [](X x, A a) { return Tensors{repeat(x[0], a.dims("repeats"))}; }},
      {"repeat_interleave",
       [](X x, A a) {
         return Tensors{repeat_interleave(a.has("dim") ? x[0] : x[0].reshape({-1}), a.integer("repeats"),
                                          a.integer("dim"))};
       }},
      {"repeat_interleave_counts", repeat_rows},
      // selection by index
      {"index_select",
       [](X x, A a) {
         return Tensors{index_select(x[0], a.integer("dim"), x[1])};
       }},
      {"gather", [](X x, A a) { return Tensors{gather(x[0], a.integer("dim"), x[1])}; }},
      {"scatter_add",
       [](X x, A a) {
         return Tensors{scatter_add(x[0], a.integer("dim"), x[1], x[2])};
       }},
      {"embedding",
       [](X x, A a) {
         return Tensors{embedding(x[0], x[1], a.integer("padding_idx", -1))};
       }},
      // normalisation, losses, attention
      {"softmax", [](X x, A a) { return Tensors{softmax(x[0], a.integer("dim"))}; }},
      {"log_softmax", [](X x, A a) { return Tensors{log_softmax(x[0], a.integer("dim"))}; }},
      {"layer_norm",
       [](X x, A a) {
         const Tensor weight = x.size() > 1 ? x[1] : ones(a.dims("normalized_shape"), x[0].dtype());
         return Tensors{layer_norm(x[0], weight, nth(x, 2), a.number("eps"))};
       }},
      {"rms_norm",
       [](X x, A a) {
         return Tensors{rms_norm(
             x[0], x.size() > 1 ? x[1] : ones(a.dims("normalized_shape"), x[0].dtype()), rms_eps(x, a))};
       }},
      {"dropout", [](X x, A a) { return Tensors{dropout(x[0], a.number("p"), a.flag("train"))}; }},
      {"cross_entropy",
       [](X x, A a) {
         return Tensors{cross_entropy(x[0], x[1], cross_entropy_options(a))};
       }},
      {"linear_cross_entropy",
       [](X x, A a) {
         return Tensors{linear_cross_entropy(x[0], x[1], x.size() == 4 ? x[2] : Tensor(), x.back(),
                                             cross_entropy_options(a))};
       }},
      {"nll_loss",
       [](X x, A a) {
         return Tensors{nll_loss(x[0], x[1], cross_entropy_options(a))};
       }},
      {"mse_loss", [](X x, A a) { return Tensors{mse_loss(x[0], x[1], reduction(a))}; }},
      {"binary_cross_entropy_with_logits",
       [](X x, A a) {
         return Tensors{bce_with_logits(x[0], x[1], reduction(a))};
       }},
      {"kl_div", [](X x, A a) { return Tensors{kl(x, a)}; }},
      {"scaled_dot_product_attention", attention},
  };
  return table;
}

}  // namespace slope::test
