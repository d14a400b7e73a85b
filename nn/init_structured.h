// Initial values with a structure, written into existing tensors. Rules and names are PyTorch's;
// the numbers come from slope's generator (init.h).
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope::nn::init {

// The identity; ShapeError unless x has two dims.
void eye(const Tensor& x);
// The weight (out, in / groups, K, …) of a convolution that passes on the first min(in, out) /
// groups channels of each group unchanged: 1 in the middle of their kernels, 0 elsewhere.
void dirac(const Tensor& x, int64_t groups = 1);
// gain times a random matrix with orthonormal rows or columns, whichever are fewer; further dims
// count as columns (Saxe et al., 2014).
void orthogonal(const Tensor& x, double gain = 1);
// Normal, but in each column a share `sparsity` of the elements, rounded up, is 0 (Martens, 2010).
void sparse(const Tensor& x, double sparsity, double std = 0.01);

}  // namespace slope::nn::init
