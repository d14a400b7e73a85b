#include <slope/core/tensor/layout.h>

#include <algorithm>

namespace slope {

Layout Layout::contiguous(const Dims& shape) {
  Layout layout{shape, shape, 0};
  int64_t stride = 1;
  bool is_sound = true;  // no size is negative, and no stride overflows even if the shape is empty
  for (size_t d = shape.size(); d-- > 0;) {
    layout.strides[d] = stride;
    is_sound &=
        shape[d] >= 0 && !__builtin_mul_overflow(stride, std::max<int64_t>(shape[d], 1), &stride);
  }
  if (!is_sound) (void)slope::numel(shape);  // throws and says what is wrong
  return layout;
}

bool Layout::is_within(int64_t elements) const {
  if (shape.size() != strides.size() || offset < 0) return false;
  int64_t n = 1, last = offset, span;
  bool empty = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = shape[d], stride = strides[d];
    if (size < 0 || stride < 0) return false;
    empty |= size == 0;
    if (size == 0 || size == 1) continue;
    if (__builtin_mul_overflow(n, size, &n) || __builtin_mul_overflow(size - 1, stride, &span) ||
        __builtin_add_overflow(last, span, &last))
      return false;
  }
  return empty || last < elements;
}

std::pair<int64_t, int64_t> Layout::extent() const {
  if (numel() == 0) return {0, 0};
  int64_t last = offset;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return {offset, last + 1};
}

Layout Layout::transpose(int64_t a, int64_t b) const {
  Layout result = *this;
  if (rank() == 0) {
    wrap_dim(a, 0, "transpose");
    wrap_dim(b, 0, "transpose");
    return result;
  }
  a = wrap_dim(a, rank(), "transpose");
  b = wrap_dim(b, rank(), "transpose");
  std::swap(result.shape[a], result.shape[b]);
  std::swap(result.strides[a], result.strides[b]);
  return result;
}

Layout Layout::permute(const Dims& dims) const {
  SLOPE_CHECK_SHAPE(dims.size() == shape.size(),
                    "permute: {} names {} dims, the tensor has shape {}", dims, dims.size(), shape);
  Layout result = *this;
  Dims seen(shape.size(), 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = wrap_dim(dims[i], rank(), "permute");
    SLOPE_CHECK_INDEX(!seen[d]++, "permute: dim {} appears twice in {}", d, dims);
    result.shape[i] = shape[d];
    result.strides[i] = strides[d];
  }
  return result;
}

Layout Layout::narrow(int64_t dim, int64_t start, int64_t length) const {
  SLOPE_CHECK_INDEX(rank() > 0, "narrow: a tensor of rank 0 has no dim to narrow");
  dim = wrap_dim(dim, rank(), "narrow");
  const int64_t size = shape[dim];
  SLOPE_CHECK_INDEX(start >= -size && start <= size,
                    "narrow: start {} is out of range for dim {} of size {}", start, dim, size);
  if (start < 0) start += size;
  SLOPE_CHECK_INDEX(length >= 0 && length <= size - start,
                    "narrow: start {} + length {} exceeds dim {} of size {}", start, length, dim,
                    size);
  Layout result = *this;
  result.shape[dim] = length;
  result.offset += start * strides[dim];
  return result;
}

Layout Layout::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  SLOPE_CHECK_INDEX(rank() > 0, "slice: a tensor of rank 0 has no dim to slice");
  SLOPE_CHECK_INDEX(step > 0, "slice: step must be positive, got {}", step);
  dim = wrap_dim(dim, rank(), "slice");
  const int64_t size = shape[dim];
  const auto clamp = [size](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
  };
  start = clamp(start);
  end = std::max(clamp(end), start);
  Layout result = narrow(dim, start, end - start);
  result.shape[dim] = (end - start) / step + ((end - start) % step != 0);
  result.strides[dim] = result.shape[dim] > 1 ? checked_mul(strides[dim], step) : strides[dim];
  return result;
}

Layout Layout::select(int64_t dim, int64_t index) const {
  SLOPE_CHECK_INDEX(rank() > 0, "select: a tensor of rank 0 has no dim to select from");
  dim = wrap_dim(dim, rank(), "select");
  const int64_t size = shape[dim];
  SLOPE_CHECK_INDEX(index >= -size && index < size,
                    "select: index {} is out of range for dim {} of size {}", index, dim, size);
  Layout result = narrow(dim, index < 0 ? index + size : index, 1);
  result.shape.erase(dim);
  result.strides.erase(dim);
  return result;
}

Layout Layout::diagonal(int64_t a, int64_t b) const {
  a = wrap_dim(a, rank(), "diagonal");
  b = wrap_dim(b, rank(), "diagonal");
  SLOPE_CHECK_INDEX(a != b, "diagonal: needs two different dims, got {} twice", a);
  Layout result = *this;
  result.shape.push_back(std::min(shape[a], shape[b]));
  result.strides.push_back(strides[a] + strides[b]);
  for (int64_t d : {std::max(a, b), std::min(a, b)}) {
    result.shape.erase(d);
    result.strides.erase(d);
  }
  return result;
}

Layout Layout::broadcast_to(const Dims& to) const {
  SLOPE_CHECK_SHAPE(broadcasts_to(shape, to), "expand: shape {} does not broadcast to {}", shape,
                    to);
  (void)slope::numel(to);
  Layout result{to, Dims(to.size(), 0), offset};
  const size_t lead = to.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == to[lead + d]) result.strides[lead + d] = strides[d];
  return result;
}

Layout Layout::squeeze(int64_t dim) const {
  Layout result = *this;
  dim = wrap_dim(dim, rank(), "squeeze");
  if (rank() == 0 || shape[dim] != 1) return result;
  result.shape.erase(dim);
  result.strides.erase(dim);
  return result;
}

Layout Layout::unsqueeze(int64_t dim) const {
  dim = wrap_new_dim(dim, rank(), "unsqueeze");
  Layout result = *this;
  const int64_t stride = dim < rank() ? shape[dim] * strides[dim] : 1;
  result.shape.insert(dim, 1);
  result.strides.insert(dim, stride);
  return result;
}

Dims infer_shape(const Dims& shape, int64_t numel) {
  Dims result = shape;
  int64_t known = 1, unknown = -1;
  bool empty = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1) {
      SLOPE_CHECK_SHAPE(unknown < 0, "reshape: only one size may be -1, got {}", shape);
      unknown = static_cast<int64_t>(d);
    } else {
      SLOPE_CHECK_SHAPE(shape[d] >= 0, "reshape: invalid size {} in {}", shape[d], shape);
      empty |= shape[d] == 0;
      known = checked_mul(known, std::max<int64_t>(shape[d], 1));
    }
  }
  if (empty) known = 0;
  if (unknown >= 0) {
    SLOPE_CHECK_SHAPE(known != 0 && numel % known == 0, "reshape: {} elements do not fill shape {}",
                      numel, shape);
    result[unknown] = numel / known;
  } else {
    SLOPE_CHECK_SHAPE(known == numel, "reshape: shape {} has {} elements, the tensor has {}", shape,
                      known, numel);
  }
  return result;
}

// Walks both shapes from the right and matches groups of equal product: a group of old dims that is
// one evenly strided run can be cut into new dims.
std::optional<Layout> Layout::reshape(const Dims& to) const {
  Layout result = contiguous(infer_shape(to, numel()));
  result.offset = offset;
  if (numel() == 0 || is_contiguous()) return result;
  int64_t d = rank() - 1, n = result.rank() - 1;
  while (d >= 0) {
    int64_t run = shape[d];  // elements of the evenly strided run that ends in dim d
    const int64_t stride = strides[d];
    while (d > 0 && (shape[d - 1] == 1 || run == 1 || strides[d - 1] == run * stride)) {
      if (run == 1 && shape[d - 1] != 1) break;
      run *= shape[--d];
    }
    int64_t filled = 1;
    while (n >= 0 && (filled < run || result.shape[n] == 1)) {
      result.strides[n] = filled * stride;
      filled *= result.shape[n--];
    }
    if (filled != run) return std::nullopt;
    --d;
  }
  return result;
}

}  // namespace slope
