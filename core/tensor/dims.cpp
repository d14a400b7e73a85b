#include <slope/core/tensor/dims.h>

#include <algorithm>

namespace slope {

int64_t numel(const Dims& shape) {
  int64_t n = 1;
  bool empty = false;
  for (int64_t size : shape) {
    SLOPE_CHECK_SHAPE(size >= 0, "shape {}: sizes must not be negative", shape);
    empty |= size == 0;
    n = checked_mul(n, std::max<int64_t>(size, 1));
  }
  return empty ? 0 : n;
}

namespace {
// -1 is the last of `range` places
int64_t wrap_into(int64_t range, int64_t dim, int64_t rank, const char* op) {
  SLOPE_CHECK_INDEX(dim >= -range && dim < range,
                    "{}: dim {} is out of range for rank {} (expected {} to {})", op, dim, rank,
                    -range, range - 1);
  return dim < 0 ? dim + range : dim;
}
}  // namespace

int64_t wrap_dim(int64_t dim, int64_t rank, const char* op) {
  return wrap_into(std::max<int64_t>(rank, 1), dim, rank, op);
}
int64_t wrap_new_dim(int64_t dim, int64_t rank, const char* op) {
  return wrap_into(rank + 1, dim, rank, op);
}

Dims wrap_dims(const Dims& dims, int64_t rank, const char* op) {
  Dims wrapped;
  if (dims.empty())
    for (int64_t d = 0; d < rank; ++d) wrapped.push_back(d);
  for (int64_t dim : dims) wrapped.push_back(wrap_dim(dim, rank, op));
  std::sort(wrapped.begin(), wrapped.end());
  for (size_t i = 1; i < wrapped.size(); ++i)
    SLOPE_CHECK_INDEX(wrapped[i] != wrapped[i - 1], "{}: dim {} appears twice in {}", op,
                      wrapped[i], dims);
  if (rank == 0) wrapped.clear();
  return wrapped;
}

Dims broadcast_shapes(const Dims& a, const Dims& b, const char* op) {
  const size_t rank = std::max(a.size(), b.size());
  Dims shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) {  // i counts from the right
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    SLOPE_CHECK_SHAPE(x == y || x == 1 || y == 1,
                      "{}: shapes {} and {} do not broadcast: {} against {} at dim -{}", op, a, b,
                      x, y, i + 1);
    shape[rank - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

bool broadcasts_to(const Dims& from, const Dims& to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1 && size != to[to.size() - i]) return false;
  }
  return true;
}

std::string to_string(const Dims& dims) {
  if (dims.size() == 1) return fmt::format("({},)", dims[0]);
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", dims[i]);
  return text + ")";
}

}  // namespace slope
