// Initial values, written into existing tensors. Rules and names are PyTorch's; the numbers come
// from slope's generator: element i of a tensor is a function of (seed, site, i), one site a call.
// fan_in = size(1) * (all further sizes), fan_out = size(0) * (all further sizes); rank 2 at least.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn::init {

enum class Fan { in, out };
enum class Nonlinearity { linear, relu, leaky_relu, tanh, sigmoid, selu };
double gain(Nonlinearity f, double negative_slope = 0.01);

void zeros(const Tensor& x);
void ones(const Tensor& x);
void constant(const Tensor& x, double value);
// [low, high); UsageError where low > high
void uniform(const Tensor& x, double low = 0, double high = 1);
void normal(const Tensor& x, double mean = 0, double std = 1);
// Normal, given that low <= x <= high.
void trunc_normal(const Tensor& x, double mean = 0, double std = 1, double low = -2,
                  double high = 2);
// Glorot and Bengio (2010): bound = gain sqrt(6 / (fan_in + fan_out)), std = gain sqrt(2 / (fan_in
// + fan_out)).
void xavier_uniform(const Tensor& x, double gain = 1);
void xavier_normal(const Tensor& x, double gain = 1);
// He et al. (2015): bound = gain sqrt(3 / fan), std = gain / sqrt(fan), with the gain of f.
void kaiming_uniform(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in,
                     Nonlinearity f = Nonlinearity::leaky_relu);
void kaiming_normal(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in,
                    Nonlinearity f = Nonlinearity::leaky_relu);

double fan_of(const Tensor& x, Fan fan);  // ShapeError below rank 2

namespace detail {
class Undrawn {
 public:
  explicit Undrawn(int64_t least_rank);
  ~Undrawn();
  Undrawn(const Undrawn&) = delete;
  Undrawn& operator=(const Undrawn&) = delete;

 private:
  int64_t before_;
};
}  // namespace detail

// What make() gives, a model whose tensors of so many dims or more are read or drawn anew: their
// values are not drawn, but left as they are (as PyTorch's skip_init does). Their sites are
// claimed, so that all others get the numbers that they always get.
template <class F>
auto undrawn(int64_t least_rank, const F& make) {
  const detail::Undrawn scope(least_rank);
  return make();
}

}  // namespace slope::nn::init
