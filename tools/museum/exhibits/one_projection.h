// One projection makes queries, keys and values; the others are never used.
#pragma once

#include <slope/tools/museum/exhibits/parts.h>

namespace slope::museum::one_projection {

struct Broken : Attention {
  Tensor forward(const Tensor& x, const Tensor& memory, const nn::Mask& mask) const {
    const Tensor q = nn::split_heads(key(x), H), k = nn::split_heads(key(memory), H), v = k;
    return out(nn::merge_heads(nn::attend(q, k, v, mask)));
  }
  SLOPE_MODULE(Broken, query, key, value, out)
};

inline Showing show() {
  const auto broken = make<TextModel<Block<Broken>>>();
  const auto right = make<TextModel<>>();
  const auto elements_without_gradient = [](const auto& model) {
    int64_t n = 0;
    const Tensors all = nn::parameters(model.block.attention);
    const Tensors grads = grad({loss(model(target()))}, all, {.allow_unused = true});
    for (size_t i = 0; i < all.size(); ++i) n += grads[i].defined() ? 0 : all[i].numel();
    return static_cast<double>(n);
  };
  const auto detect = [](const auto& model) {
    return nn::lint::unused_parameters(model, loss(model(target())));
  };
  return {{{"elements of attention without a gradient, of 288", elements_without_gradient(broken),
            elements_without_gradient(right)}},
          detect(broken),
          detect(right)};
}

}  // namespace slope::museum::one_projection
