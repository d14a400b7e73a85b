// A tensor on another's storage, without history: what views are before they are recorded, and
// places to copy to.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

inline Tensor view_of(const Tensor& x, Layout layout) {
  return Tensor(x.storage(), std::move(layout), x.dtype());
}

}  // namespace slope
