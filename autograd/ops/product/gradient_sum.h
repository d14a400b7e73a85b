// Where a kernel writes the gradient of one of its inputs: it adds to what other uses of the input
// left of the sum in this pass, as those beside a residual connection do, or fills a new tensor.
// Private to autograd/ops.
#pragma once

#include <slope/autograd/saved.h>

namespace slope {

struct GradientSum {
  bool adds = false;
  Tensor tensor;

  // `may_add`: whether adding gives the bits that adding afterwards would.
  GradientSum(const Saved& s, int input, const Dims& shape, DType dtype, bool may_add = true) {
    if (may_add) tensor = s.sum_so_far(input);
    adds = tensor.defined();
    if (!adds) tensor = Tensor::empty(shape, dtype);
  }
  Tensor result() const { return adds ? Tensor() : tensor; }  // what the rule returns for the input
};

}  // namespace slope
