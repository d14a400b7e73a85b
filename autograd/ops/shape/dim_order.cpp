#include <slope/autograd/ops/shape/dim_order.h>

#include <algorithm>
#include <numeric>

namespace slope {

Tensor empty_in_order_of(const Dims& shape, const Tensor& x, std::optional<DType> given) {
  const DType dtype = given.value_or(x.dtype());
  const size_t rank = shape.size();
  if (rank < 2) return Tensor::empty(shape, dtype);
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t d = 0; d < rank; ++d)
    if (x.strides()[d] == 0 && x.shape()[d] != 1) return Tensor::empty(shape, dtype);
  std::stable_sort(order.begin(), order.end() - 1,
                   [&](size_t a, size_t b) { return x.strides()[a] > x.strides()[b]; });
  Dims ordered, back(rank);
  for (size_t d = 0; d < rank; ++d) {
    ordered.push_back(shape[order[d]]);
    back[order[d]] = static_cast<int64_t>(d);
  }
  const Tensor y = Tensor::empty(ordered, dtype);
  return Tensor(y.storage(), y.layout().permute(back), y.dtype());
}

}  // namespace slope
