// GradTarget: where a kernel writes the gradient of an input. The engine chooses: new memory, the
// existing sum (the kernel adds to it), the memory of g or of a saved extra, or a slice of a
// larger tensor.
//
//   const GradTarget d = s.target(0, x.shape(), x.dtype());
//   run(g, d.tensor.write<T>(), d.adds);
//   return {d.result()};
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

struct GradTarget {
  Tensor tensor;
  bool adds = false;  // the kernel adds to `tensor`; otherwise it overwrites all of it
  Tensor result() const { return adds ? Tensor() : tensor; }  // what the rule returns
};

struct TargetOptions {
  // Whether the kernel can add its gradient to a sum, with the same bits as a separate addition.
  bool may_add = true;
  // g or a saved extra, which the kernel can overwrite with its result. The engine allows it only
  // where nobody else needs that memory. Ignored where the kernel adds.
  const Tensor* over = nullptr;  // a pointer: a copy would raise the reference count
};

}  // namespace slope
