#include <slope/autograd/ops/shape/adjacent.h>
#include <slope/autograd/ops/shape/view_of.h>

#include <algorithm>
#include <numeric>

namespace slope {

namespace {

bool are_alike(const Tensor& x, const Tensor& y) {
  return x.storage().get() == y.storage().get() && x.dtype() == y.dtype() &&
         x.strides() == y.strides();
}

// Whether the elements fill a range of memory, each place once.
bool is_dense(const Layout& layout) {
  Dims order(layout.shape.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return layout.strides[static_cast<size_t>(a)] > layout.strides[static_cast<size_t>(b)];
  });
  return layout.permute(order).is_contiguous();
}

}  // namespace

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

Tensors empty_together(const Tensors& xs, std::optional<DType> dtype) {
  Layout all = xs[0].layout();
  const int64_t first = all.offset, apart = xs.size() > 1 ? xs[1].layout().offset - first : 0;
  for (size_t i = 1; i < xs.size(); ++i)
    if (!are_alike(xs[i], xs[0]) || xs[i].shape() != xs[0].shape() ||
        xs[i].layout().offset - first != static_cast<int64_t>(i) * apart)
      return {};
  all.shape.push_back(static_cast<int64_t>(xs.size()));
  all.strides.push_back(apart);
  if (apart <= 0 || all.numel() == 0 || !is_dense(all)) return {};
  const Tensor storage = Tensor::empty({all.numel()}, dtype.value_or(xs[0].dtype()));
  Tensors pieces;
  for (size_t i = 0; i < xs.size(); ++i)
    pieces.push_back(
        view_of(storage, {xs[0].shape(), xs[0].strides(), static_cast<int64_t>(i) * apart}));
  return pieces;
}

Tensor whole_of(const Tensors& xs, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  Layout whole = xs[0].layout();
  whole.shape[d] = 0;
  for (const Tensor& x : xs) {
    if (!are_alike(x, xs[0]) ||
        x.layout().offset != xs[0].layout().offset + whole.shape[d] * whole.strides[d])
      return {};
    whole.shape[d] += x.size(dim);
  }
  return whole.is_contiguous() ? view_of(xs[0], whole) : Tensor();
}

}  // namespace slope
