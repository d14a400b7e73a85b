#include <slope/nn/layers/layer_norm.h>
#include <slope/nn/layers/rms_norm.h>

namespace slope::nn {

LayerNorm::LayerNorm(const Dims& shape, LayerNormOptions options)
    : normalized_shape(shape), eps(options.eps) {
  if (!options.elementwise_affine) return;
  weight.emplace(shape);
  init::ones(*weight);
  if (!options.bias) return;
  bias.emplace(shape);
  init::zeros(*bias);
}

RMSNorm::RMSNorm(const Dims& shape, RMSNormOptions options)
    : normalized_shape(shape), eps(options.eps) {
  if (!options.elementwise_affine) return;
  weight.emplace(shape);
  init::ones(*weight);
}

}  // namespace slope::nn
