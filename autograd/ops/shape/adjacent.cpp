#include <slope/autograd/ops/shape/adjacent.h>
#include <slope/autograd/ops/shape/view_of.h>

#include <algorithm>
#include <numeric>

namespace slope {

namespace {

// Whether x and y lie in the same storage with the same strides.
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

bool has_contiguous_rows(const Layout& layout) {
  return layout.shape.empty() || layout.shape.back() == 1 || layout.strides.back() == 1;
}

}  // namespace

Tensors empty_adjacent_like(const Tensors& xs, std::optional<DType> dtype) {
  Layout all = xs[0].layout();
  if (!has_contiguous_rows(all)) return {};
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

Tensor joined_without_copy(const Tensors& xs, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  Layout joined = xs[0].layout();
  joined.shape[d] = 0;
  for (const Tensor& x : xs) {
    Dims shape = joined.shape;
    shape[d] = x.size(dim);
    if (!are_alike(x, xs[0]) || x.shape() != shape ||
        x.layout().offset != joined.offset + joined.shape[d] * joined.strides[d])
      return {};
    joined.shape[d] += shape[d];
  }
  return joined.is_contiguous() ? view_of(xs[0], joined) : Tensor();
}

}  // namespace slope
