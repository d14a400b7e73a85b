#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/normalisation.h>

namespace slope::nn {

namespace {

//   running <- (1 - momentum) running + momentum x, in place
void average_into(const Tensor& running, const Tensor& x, double momentum) {
  const NoGrad no_grad;
  const Tensor mixed = running * (1 - momentum) + x * momentum;
  copy_into(mixed, running);
}

Tensor scaled(const Tensor& y, const Tensor& weight, const Tensor& bias, const Dims& channels) {
  const Tensor z = weight.defined() ? y * weight.reshape(channels) : y;
  return bias.defined() ? z + bias.reshape(channels) : z;
}

}  // namespace

Tensor batch_norm(const Tensor& x, const BatchNormState& s, const Tensor& weight,
                  const Tensor& bias, double eps) {
  SLOPE_CHECK_SHAPE(x.rank() == 2 || x.rank() == 3, "batch_norm: needs (N, C) or (N, C, L), got {}",
                    x.shape());
  const int64_t C = x.size(1), n = C == 0 ? 0 : x.numel() / C;
  const Dims channels = x.rank() == 2 ? Dims{1, C} : Dims{1, C, 1};
  detail::check_vector("batch_norm", "running_mean", s.running_mean, C, x);
  detail::check_vector("batch_norm", "running_var", s.running_var, C, x);
  detail::check_vector("batch_norm", "weight", weight, C, x);
  detail::check_vector("batch_norm", "bias", bias, C, x);
  SLOPE_CHECK(s.training || (s.running_mean.defined() && s.running_var.defined()),
              "batch_norm: needs running averages when it does not train");
  if (!s.training)
    return scaled(
        (x - s.running_mean.reshape(channels)) * rsqrt(s.running_var.reshape(channels) + eps),
        weight, bias, channels);
  SLOPE_CHECK_SHAPE(n > 1,
                    "batch_norm: expected more than 1 value per channel when training, got "
                    "input size {}",
                    x.shape());
  // a row for each channel: layer_norm is exact for large means too
  const Tensor by_channel = x.transpose(0, 1), rows = by_channel.reshape({C, n}),
               y = layer_norm(rows, {}, {}, eps), seen = rows.detach();
  if (s.running_mean.defined()) average_into(s.running_mean, mean(seen, {1}), s.momentum);
  if (s.running_var.defined()) average_into(s.running_var, var(seen, {1}), s.momentum);  // unbiased
  return scaled(y.reshape(by_channel.shape()).transpose(0, 1).contiguous(), weight, bias, channels);
}

Tensor instance_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  SLOPE_CHECK_SHAPE(x.rank() == 2 || x.rank() == 3,
                    "instance_norm: needs (N, C, L) or (C, L), got {}", x.shape());
  SLOPE_CHECK_SHAPE(x.size(-1) > 1, "instance_norm: expected more than 1 position, got shape {}",
                    x.shape());
  const int64_t C = x.size(-2);
  detail::check_vector("instance_norm", "weight", weight, C, x);
  detail::check_vector("instance_norm", "bias", bias, C, x);
  if (x.rank() == 3) return group_norm(x, x.size(1), weight, bias, eps);
  return group_norm(x.unsqueeze(0), x.size(0), weight, bias, eps).squeeze(0);
}

}  // namespace slope::nn
