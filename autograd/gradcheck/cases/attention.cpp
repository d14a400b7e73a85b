// Cases of attention.
#include <slope/autograd/gradcheck/cases/cases.h>

namespace slope {

Cases attention_cases() {
  Cases all;
  const char* op = "scaled_dot_product_attention";
  const auto add = [&](std::string label, std::vector<CaseInput> inputs,
                       AttentionOptions options = {}) {
    all.cases.push_back({op, std::move(label), std::move(inputs), [options](const Tensors& x) {
                           const FixedSeed seed(5);
                           return Tensors{scaled_dot_product_attention(x[0], x[1], x[2], options)};
                         }});
  };
  const std::vector<CaseInput> self{{{2, 3, 4}}, {{2, 3, 4}}, {{2, 3, 4}}},
      cross{{{2, 1, 2, 3}}, {{2, 1, 4, 3}}, {{2, 1, 4, 2}}};
  const Tensor mask = tensor({{true, false, true}, {false, true, true}, {true, false, false}}),
               nothing = tensor({{false, false, false}, {true, true, false}, {true, true, true}});
  const Tensor padding = tensor({{{true, true, false}}, {{true, false, false}}});  // (B, 1, S)
  add("self", self);
  add("cross", cross);
  add("causal", self, {.causal = true});
  add("causal, more keys than queries", cross, {.causal = true});
  add("causal, fewer keys than queries", {{{1, 4, 2}}, {{1, 2, 2}}, {{1, 2, 3}}}, {.causal = true});
  add("scale", self, {.scale = 0.3});
  add("mask", self, {.mask = mask});
  add("padding", self, {.mask = padding});
  add("padding, causal", self, {.mask = padding, .causal = true});
  add("a row that sees nothing", self, {.mask = nothing});
  add("dropout", self, {.dropout = 0.4});
  add("dropout, mask, causal", self, {.mask = mask, .causal = true, .dropout = 0.4});
  add("wider than a vector", {{{1, 7, 18}}, {{1, 19, 18}}, {{1, 19, 17}}}, {.causal = true});
  add("rank 2", {{{3, 2}}, {{2, 2}}, {{2, 3}}});
  add("n = 1", {{{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}});
  add("empty batch", {{{0, 2, 3}}, {{0, 2, 3}}, {{0, 2, 3}}});
  add("no queries", {{{2, 0, 3}}, {{2, 2, 3}}, {{2, 2, 3}}});
  add("no keys", {{{2, 2, 3}}, {{2, 0, 3}}, {{2, 0, 3}}});
  const std::vector<CaseInput> rows_of_three{{{2, 6, 4}}, {{2, 7, 4}}, {{2, 7, 3}}};
  const Tensor lengths = tensor({1, 3, 2}), of_keys = tensor({3, 2, 2});
  add("sequences", rows_of_three, {.query_lengths = lengths, .key_lengths = of_keys});
  add("sequences, causal", rows_of_three,
      {.causal = true, .query_lengths = lengths, .key_lengths = of_keys});
  add("sequences, lengths with strides", rows_of_three,
      {.query_lengths = tensor({{1, 9}, {3, 9}, {2, 9}}).select(1, 0),
       .key_lengths = tensor({{9, 3}, {9, 2}, {9, 2}}).select(1, 1)});
  add("sequences, dropout", rows_of_three,
      {.dropout = 0.4, .query_lengths = lengths, .key_lengths = of_keys});
  add("sequences, mask", {{{2, 6, 4}}, {{2, 3, 4}}, {{2, 3, 3}}},
      {.mask = cat({mask, nothing}),
       .causal = true,
       .query_lengths = lengths,
       .key_lengths = tensor({1, 1, 1})});
  add("sequences without queries or keys", rows_of_three,
      {.query_lengths = tensor({0, 4, 2}), .key_lengths = tensor({3, 0, 4})});
  add("no sequences", {{{2, 0, 4}}, {{2, 0, 4}}, {{2, 0, 3}}},
      {.query_lengths = zeros({0}, i64), .key_lengths = zeros({0}, i64)});
  const auto with_weights = [](AttentionOptions options) {
    return [options](const Tensors& x) {
      const auto [y, w] = scaled_dot_product_attention_with_weights(x[0], x[1], x[2], options);
      return Tensors{y, w};
    };
  };
  const char* with = "scaled_dot_product_attention_with_weights";
  all.cases.push_back({with, "causal", self, with_weights({.causal = true})});
  all.cases.push_back({with, "mask", self, with_weights({.mask = nothing})});
  all.cases.push_back({with, "sequences", rows_of_three,
                       with_weights({.query_lengths = lengths, .key_lengths = of_keys})});
  all.cases.push_back({with, "weights alone", self, [](const Tensors& x) {
                         return Tensors{
                             scaled_dot_product_attention_with_weights(x[0], x[1], x[2]).weights};
                       }});
  all.cases.push_back({op, "heads of a projection", {{{2, 3, 4}}}, [](const Tensors& x) {
                         const Tensor h = x[0].reshape({2, 3, 2, 2}).transpose(1, 2);
                         return Tensors{scaled_dot_product_attention(h, h, h, {.causal = true})
                                            .transpose(1, 2)
                                            .reshape({2, 3, 4})};
                       }});

  all.cases.push_back({op, "slices of the last dim", {{{2, 2, 3}}}, [](const Tensors& x) {
                         const Tensors p = unbind(x[0], -1);
                         return Tensors{scaled_dot_product_attention(p[0], p[1], p[2])};
                       }});
  all.cases.push_back({op, "channels before positions", {{{2, 12, 5}}}, [](const Tensors& x) {
                         Tensors p;
                         for (const Tensor& part : chunk(x[0], 3, 1))
                           p.push_back(part.reshape({2, 2, 2, 5}).transpose(-1, -2));
                         return Tensors{scaled_dot_product_attention(p[0], p[1], p[2])};
                       }});

  const auto refuse = [&](const char* label, Tensor q, Tensor k, Tensor v,
                          AttentionOptions options = {}) {
    all.refusals.push_back(
        {op, label, [=] { (void)scaled_dot_product_attention(q, k, v, options); }});
  };
  const Tensor x = zeros({2, 3, 4});
  refuse("rank 1", zeros({3}), zeros({3}), zeros({3}));
  refuse("widths of q and k that differ", x, zeros({2, 3, 5}), x);
  refuse("fewer values than keys", x, x, zeros({2, 2, 4}));
  refuse("batches that differ", x, zeros({1, 3, 4}), x);
  refuse("dtypes that differ", x, zeros({2, 3, 4}, f64), x);
  refuse("a mask that is not bool", x, x, x, {.mask = zeros({3, 3})});
  refuse("a mask of another shape", x, x, x, {.mask = zeros({3, 2}, boolean)});
  refuse("dropout above 1", x, x, x, {.dropout = 2});
  refuse("lengths of queries alone", x, x, x, {.query_lengths = tensor({3})});
  refuse("lengths that add up to too few", x, x, x,
         {.query_lengths = tensor({1, 1}), .key_lengths = tensor({1, 2})});
  refuse("lengths that add up to too many", x, x, x,
         {.query_lengths = tensor({1, 2}), .key_lengths = tensor({2, 2})});
  refuse("a negative length", x, x, x,
         {.query_lengths = tensor({4, -1}), .key_lengths = tensor({1, 2})});
  refuse("lengths whose sum overflows int64", x, x, x,
         {.query_lengths = tensor({1, INT64_MAX}), .key_lengths = tensor({1, 2})});
  refuse("fewer sequences of keys than of queries", x, x, x,
         {.query_lengths = tensor({1, 2}), .key_lengths = tensor({3})});
  refuse("floating-point lengths", x, x, x,
         {.query_lengths = tensor({1., 2.}), .key_lengths = tensor({1, 2})});
  return all;
}

}  // namespace slope
