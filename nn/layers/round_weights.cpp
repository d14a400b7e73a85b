#include <slope/core/loops/copy.h>
#include <slope/nn/layers/linear.h>
#include <slope/nn/layers/round_weights.h>
#include <slope/nn/module/state.h>

#include <algorithm>

namespace slope::nn {

int64_t round_weights(ModuleRef model) {
  Tensors weights, others;
  for (const auto& [name, module] : named_modules(model))
    if (const auto* linear = module.as<Linear>())
      weights.push_back(linear->weight);
    else
      for (const Field& field : module.fields())
        if (field.parameter) others.push_back(*field.parameter);
  int64_t rounded = 0;
  for (const Tensor& weight : weights) {
    const auto is_same = [&](const Tensor& x) { return x.is_same(weight); };
    if (weight.dtype() != f32 || std::any_of(others.begin(), others.end(), is_same)) continue;
    replace_data(weight, contiguous_copy(weight, bf16));
    rounded += weight.numel();
  }
  return rounded;
}

}  // namespace slope::nn
