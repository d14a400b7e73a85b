// A query has no key that it may attend to. Filled with -1e9, its scores are equal: it attends to
// all of its padding. Filled with -inf, they give 0 / 0, and the batch's gradients are nan.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

#include <limits>

namespace slope::museum::masked_row {

template <bool infinite>
struct Filled : Attention {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const double fill = infinite ? -std::numeric_limits<double>::infinity() : -1e9;
    const Tensor q = nn::split_heads(query(x), H), k = nn::split_heads(key(memory), H),
                 v = nn::split_heads(value(memory), H);
    const Tensor scores = q.matmul(k.transpose(-2, -1)) / std::sqrt(1.0 * C / H);
    const Tensor blocked = !mask.tensor(x.size(1), memory.size(1));
    return out(nn::merge_heads(softmax(scores.masked_fill(blocked, fill)).matmul(v)));
  }
  SLOPE_MODULE(Filled, query, key, value, out)
};

inline Tensor one_empty() { return cat({zeros({1, 5}, i64), source().narrow(0, 1, 1)}); }

template <class M>
nn::lint::Findings detect(const M& model) {
  return nn::lint::masked_rows([&](const Tensor& x) { return model(x); }, source(), pad);
}

inline Showing show_uniform() {
  const auto broken = make<Reader<Block<Filled<false>>>>();
  const auto right = make<Reader<>>();
  const auto moves = [](const auto& model) {
    const Tensor y = model(one_empty()).detach(),
                 longer = model(slope::pad(one_empty(), {0, 2})).detach();
    return nn::lint::difference(longer.narrow(1, 0, 5)[0], y[0]);
  };
  return {{{"two columns of padding move a row of padding by", moves(broken), moves(right)}},
          detect(broken),
          detect(right)};
}

inline Showing show_nan() {
  const auto broken = make<Reader<Block<Filled<true>>>>();
  const auto right = make<Reader<>>();
  const auto not_finite_gradients = [](const auto& model) {
    int64_t n = 0;
    for (const Tensor& g : grad({sum(model(one_empty()).select(0, 1))}, nn::parameters(model),
                                {.allow_unused = true}))
      n += g.defined() && !all(isfinite(g));
    return static_cast<double>(n);
  };
  return {{{"gradients that are not finite, of 18", not_finite_gradients(broken),
            not_finite_gradients(right)}},
          detect(broken),
          detect(right)};
}

}  // namespace slope::museum::masked_row
