// GradTarget: where a kernel writes the gradient of an input. The engine decides: into new memory,
// onto the sum that there is, over g, or into a slice of a larger tensor.
//
//   const GradTarget d = s.target(0, x.shape(), x.dtype());
//   run(g, d.tensor.write<T>(), d.adds);
//   return {d.result()};
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

struct GradTarget {
  Tensor tensor;
  bool adds = false;  // to what tensor holds; else all of it is written
  Tensor result() const { return adds ? Tensor() : tensor; }  // what the rule returns
};

struct TargetOptions {
  // Whether the kernel can add to a sum, with the bits that adding afterwards would give.
  bool may_add = true;
  // g, or an extra: memory that the kernel may write its result over. It is given that only where
  // nobody else needs it. For kernels that write.
  const Tensor* over = nullptr;  // not held: who counts references would see one more
};

}  // namespace slope
