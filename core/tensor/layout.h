// Layout: where the elements of a tensor lie in its storage: shape, strides (in elements) and
// offset of the first. A view is a function Layout -> Layout: it touches no data and is tested
// alone. Dims may be negative, -1 being the last.
#pragma once

#include <slope/core/tensor/dims.h>

#include <optional>

namespace slope {

struct Layout {
  Dims shape, strides;
  int64_t offset = 0;

  static Layout contiguous(const Dims& shape);  // row-major: the last dim has stride 1

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t numel() const { return slope::numel(shape); }
  bool is_contiguous() const {
    int64_t stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] == 0) return true;
      if (shape[d] != 1 && strides[d] != stride) return false;
      stride *= shape[d];
    }
    return true;
  }
  // whether every element lies in a storage of `elements` elements; false if the offset, a size or
  // a stride is negative
  bool is_within(int64_t elements) const;
  // the smallest range [begin, end) of the storage with every element in it; (0, 0) if empty
  std::pair<int64_t, int64_t> extent() const;

  Layout transpose(int64_t a, int64_t b) const;
  Layout permute(const Dims& dims) const;  // output dim i is input dim dims[i]
  // negative start counts from the end
  Layout narrow(int64_t dim, int64_t start, int64_t length) const;
  // Python's x[start:end:step], step > 0
  Layout slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) const;
  Layout select(int64_t dim, int64_t index) const;  // drops dim
  Layout diagonal(int64_t a, int64_t b) const;      // dims a and b become one, the last
  Layout broadcast_to(const Dims& shape) const;     // stride 0 where a size of 1 is repeated
  Layout squeeze(int64_t dim) const;                // no change if the size is not 1
  Layout unsqueeze(int64_t dim) const;              // -rank-1 <= dim <= rank
  // one size may be -1; nullopt if the elements have to be copied
  std::optional<Layout> reshape(const Dims& shape) const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

// `shape` with its -1, if any, replaced by the size that `numel` implies; ShapeError if no size
// gives `numel` elements.
Dims infer_shape(const Dims& shape, int64_t numel);

}  // namespace slope
