// A tensor on another's storage, without a node: what views are before they are recorded, and
// destinations of copies.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

inline Tensor view_of(const Tensor& x, Layout layout) {
  return Tensor(x.storage(), std::move(layout), x.dtype());
}

}  // namespace slope
