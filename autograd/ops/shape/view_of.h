// A tensor on another's storage, without a node: a view before it is recorded, or the destination
// of a copy.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

inline Tensor view_of(const Tensor& x, Layout layout) {
  return Tensor(x.storage(), std::move(layout), x.dtype());
}

}  // namespace slope
