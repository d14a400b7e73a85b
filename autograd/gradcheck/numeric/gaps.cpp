#include <slope/autograd/gradcheck/numeric/gaps.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <cmath>

namespace slope {

Tensor strided_with_gaps(const Tensor& u) {
  Layout layout{.shape = u.shape(), .strides = u.shape()};
  int64_t stride = 2;
  for (size_t d = 0; d < u.shape().size(); ++d) {
    layout.strides[d] = stride;
    stride *= std::max<int64_t>(u.shape()[d], 1);
  }
  const Tensor y(full({std::max<int64_t>(stride, 2)}, NAN, u.dtype()).storage(), layout, u.dtype());
  copy_into(u.detach(), y);
  return y;
}

Tensor expanded_with_gaps(double value, const Dims& shape, DType dtype) {
  const Tensor all = full({std::max<int64_t>(numel(shape), 1)}, NAN, dtype);
  fill(all.narrow(0, 0, 1), value);
  return all.narrow(0, 0, 1).reshape(Dims(shape.size(), 1)).expand(shape);
}

}  // namespace slope
