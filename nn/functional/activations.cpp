#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>

namespace slope::nn {

Tensor softplus(const Tensor& x, double beta, double threshold) {
  const Tensor z = beta * x;
  return where(z > threshold, x, slope::softplus(z) / beta);
}

Tensor logsigmoid(const Tensor& x) { return -slope::softplus(-x); }

Tensor softsign(const Tensor& x) { return x / (1 + abs(x)); }

Tensor tanhshrink(const Tensor& x) { return x - tanh(x); }

Tensor mish(const Tensor& x) { return x * tanh(slope::softplus(x)); }

Tensor softmin(const Tensor& x, int64_t dim) {
  check_floating(x.dtype(), "softmin");
  return softmax(-x, wrap_dim(dim, x.rank(), "softmin"));
}

Tensor glu(const Tensor& x, int64_t dim) {
  SLOPE_CHECK_SHAPE(x.rank() > 0, "glu: a scalar cannot be cut in two");
  dim = wrap_dim(dim, x.rank(), "glu");
  const int64_t half = x.size(dim) / 2;
  SLOPE_CHECK_SHAPE(x.size(dim) == 2 * half, "glu: dim {} of {} must be even, to be cut in two",
                    dim, x.shape());
  return x.narrow(dim, 0, half) * sigmoid(x.narrow(dim, half, half));
}

}  // namespace slope::nn
