// Activations besides those of autograd/ops.h, under the names of torch.nn.functional: compositions
// of operations. Values and derivatives are PyTorch's, at kinks too. Where x is nan, so is
// the value, but the derivative may be another than PyTorch's.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn {

// ---- with a kink (rectifiers.cpp)
// x where x > 0, else negative_slope * x
[[nodiscard]] Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01);
// the same with a slope that is learned: one for all, or one for each channel (dim 1)
[[nodiscard]] Tensor prelu(const Tensor& x, const Tensor& weight);
// the same with a slope drawn for each element, uniform in [lower, upper); (lower + upper) / 2
// unless `train`
[[nodiscard]] Tensor rrelu(const Tensor& x, double lower = 1.0 / 8, double upper = 1.0 / 3,
                           bool train = false);
// x where x > 0, else alpha (e^x - 1)
[[nodiscard]] Tensor elu(const Tensor& x, double alpha = 1);
// 1.0507 elu(x, 1.6733): keeps mean 0 and variance 1 of normal numbers (Klambauer et al., 2017)
[[nodiscard]] Tensor selu(const Tensor& x);
// max(x, 0) + min(alpha (e^(x / alpha) - 1), 0); alpha and 1 / alpha must be in the dtype's range
[[nodiscard]] Tensor celu(const Tensor& x, double alpha = 1);
// x clamped to [low, high]; the derivative at the bounds is 0, where that of clamp() is 1
[[nodiscard]] Tensor hardtanh(const Tensor& x, double low = -1, double high = 1);
[[nodiscard]] Tensor relu6(const Tensor& x);        // hardtanh(x, 0, 6)
[[nodiscard]] Tensor hardsigmoid(const Tensor& x);  // relu6(x + 3) / 6
[[nodiscard]] Tensor hardswish(const Tensor& x);    // x hardsigmoid(x)
// x where |x| > lambda, else 0
[[nodiscard]] Tensor hardshrink(const Tensor& x, double lambda = 0.5);
// x moved towards 0 by lambda; 0 where |x| <= lambda
[[nodiscard]] Tensor softshrink(const Tensor& x, double lambda = 0.5);
// x where x > threshold, else value
[[nodiscard]] Tensor threshold(const Tensor& x, double threshold, double value);

// ---- smooth (activations.cpp)
// log(1 + e^(beta x)) / beta, or x itself where beta x > threshold; beta and 1 / beta must be in
// the dtype's range
[[nodiscard]] Tensor softplus(const Tensor& x, double beta, double threshold = 20);
[[nodiscard]] Tensor logsigmoid(const Tensor& x);  // log sigmoid(x)
[[nodiscard]] Tensor softsign(const Tensor& x);    // x / (1 + |x|)
[[nodiscard]] Tensor tanhshrink(const Tensor& x);  // x - tanh x
[[nodiscard]] Tensor mish(const Tensor& x);        // x tanh(softplus(x)) (Misra, 2019)
[[nodiscard]] Tensor softmin(const Tensor& x, int64_t dim = -1);  // softmax(-x)
// a * sigmoid(b), where x = [a, b] is cut in the middle of dim (Dauphin et al., 2017)
[[nodiscard]] Tensor glu(const Tensor& x, int64_t dim = -1);

}  // namespace slope::nn
