// InputRef: an input passed to record() without counting a reference, which can cost more than an
// operation on small tensors. Valid during that call only.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

class InputRef {
 public:
  InputRef(const Tensor& x) : tensor_(&x) {}
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }

 private:
  const Tensor* tensor_;
};

}  // namespace slope
