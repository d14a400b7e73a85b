// The einsum gives values an index of their own: it sums weights over k, to 1, and values over v.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::einsum_index {

constexpr const char *wrong = "bhqk,bvhd->bqhd", *good = "bhqk,bkhd->bqhd";

struct Broken {
  nn::Linear query, key, value, out;
  Broken() : query(C, C), key(C, C), value(C, C), out(C, C) {}
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const int64_t B = x.size(0), T = x.size(1), S = memory.size(1), D = C / H;
    const Tensor q = query(x).reshape({B, T, H, D}), k = key(memory).reshape({B, S, H, D}),
                 v = value(memory).reshape({B, S, H, D});
    const Tensor scores = einsum("bqhd,bkhd->bhqk", {q, k}) / std::sqrt(static_cast<double>(D));
    const Tensor weights = softmax(scores.masked_fill(!mask.tensor(T, S), -1e9));
    return out(einsum(wrong, {weights, v}).reshape({B, T, C}));
  }
  SLOPE_MODULE(Broken, query, key, value, out)
};

inline Showing show() {
  const auto broken = make<TextModel<Block<Broken>>>();
  const auto right = make<TextModel<>>();
  const auto distance_of_two_outputs = [](const auto& attention) {
    manual_seed(2);
    const Tensor x = randn({1, 2, C}, f64), y = attention(x, x, nn::Mask());
    return largest(y.select(1, 0) - y.select(1, 1));
  };
  const auto query_gradient = [](const auto& model) {
    return largest(gradient(loss(model(target())), model.block.attention.query.weight));
  };
  const auto detect = [](const auto& model, const char* equation) {
    return joined(nn::lint::lonely_indices(equation),
                  nn::lint::dead_gradients(model, loss(model(target()))));
  };
  return {
      {{"outputs of two queries differ by", distance_of_two_outputs(broken.block.attention),
        distance_of_two_outputs(right.block.attention)},
       {"largest gradient of the queries' weight", query_gradient(broken), query_gradient(right)}},
      detect(broken, wrong),
      detect(right, good)};
}

}  // namespace slope::museum::einsum_index
