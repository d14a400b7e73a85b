// The constructors of LayerNorm and RMSNorm, and BatchNorm1d's forward.
#include <slope/core/loops/copy.h>
#include <slope/nn/layers/batch_norm.h>
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

Tensor BatchNorm1d::forward(const Tensor& x) const {
  SLOPE_CHECK_SHAPE((x.rank() == 2 || x.rank() == 3) && x.size(1) == num_features,
                    "BatchNorm1d: expected (N, {}) or (N, {}, L), got {}", num_features,
                    num_features, x.shape());
  const auto value = [](const std::optional<Buffer>& b) { return b ? Tensor(*b) : Tensor(); };
  BatchNormState s{.running_mean = value(running_mean),
                   .running_var = value(running_var),
                   .training = training() || !running_mean};
  if (s.training && module_mode.runs_again) s.running_mean = s.running_var = {};  // counted before
  const bool counts = training() && num_batches_tracked && !module_mode.runs_again;
  const Tensor count = counts ? *num_batches_tracked + 1 : Tensor();
  // 1 / count turns the running averages into means over all batches
  if (counts) s.momentum = options.momentum.value_or(1 / count.item());
  const Tensor y = batch_norm(x, s, or_none(weight), or_none(bias), options.eps);
  if (counts) copy_into(count, *num_batches_tracked);  // last: a refused batch does not count
  return y;
}

}  // namespace slope::nn
