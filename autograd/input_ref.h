// InputRef: an input passed to record() without taking a reference: counting references takes
// longer than much of what is done with small tensors. Valid for that call only.
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
