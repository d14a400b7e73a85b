// Initial values, written into existing tensors. Rules and names are PyTorch's; the numbers come from slope's generator: element i of a
// tensor is a function of (seed, site, i), one site a call.
// fan_in = size(1) * (all further sizes), fan_out = size(0) * (all further sizes); rank 2 at least.
#pragma once

#include <slope/core/tensor.h>

namespace slope::nn::init {

enum class Fan { in, out };
enum class Nonlinearity { linear, relu, leaky_relu, tanh, sigmoid, selu };
double gain(Nonlinearity f, double negative_slope = 0.01);

void zeros(const Tensor& x);
void ones(const Tensor& x);
void constant(const Tensor& x, double value);
void uniform(const Tensor& x, double low = 0, double high = 1);                                    // [low, high)
void normal(const Tensor& x, double mean = 0, double std = 1);
void trunc_normal(const Tensor& x, double mean = 0, double std = 1, double low = -2, double high = 2);  // normal, given that low <= x <= high
void xavier_uniform(const Tensor& x, double gain = 1);  // bound = gain sqrt(6 / (fan_in + fan_out))  (Glorot and Bengio, 2010)
void xavier_normal(const Tensor& x, double gain = 1);   // std = gain sqrt(2 / (fan_in + fan_out))
void kaiming_uniform(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in, Nonlinearity f = Nonlinearity::leaky_relu);  // bound = gain sqrt(3 / fan)  (He et al., 2015)
void kaiming_normal(const Tensor& x, double negative_slope = 0, Fan fan = Fan::in, Nonlinearity f = Nonlinearity::leaky_relu);   // std = gain / sqrt(fan)

double fan_of(const Tensor& x, Fan fan);  // ShapeError below rank 2

}  // namespace slope::nn::init
