// Dims: a list of sizes, strides or dim numbers, and what every shape rule needs of it: checked
// products, negative dims, broadcasting.
#pragma once

#include <slope/core/error.h>
#include <slope/core/memory/inline_vector.h>

#include <algorithm>
#include <string>

namespace slope {

using Dims = InlineVector<int64_t, 4>;

// a * b and a + b; ShapeError if the result does not fit in 63 bits, because sizes come from files
// and users.
inline int64_t checked_mul(int64_t a, int64_t b) {
  int64_t product;
  SLOPE_CHECK_SHAPE(!__builtin_mul_overflow(a, b, &product),
                    "size overflow: {} * {} does not fit in 63 bits", a, b);
  return product;
}
inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum;
  SLOPE_CHECK_SHAPE(!__builtin_add_overflow(a, b, &sum),
                    "size overflow: {} + {} does not fit in 63 bits", a, b);
  return sum;
}

// Number of elements of a shape; 1 for rank 0. ShapeError on a negative size or overflow. Sizes of
// 0 count as 1 in the overflow check, because strides are products of sizes too: (2^62, 4, 0) is
// refused in any order.
int64_t numel(const Dims& shape);

// -1 is the last of `rank` dims. IndexError outside [-rank, rank); a scalar accepts 0 and -1, as in
// PyTorch.
int64_t wrap_dim(int64_t dim, int64_t rank, const char* op = "dim");

// The same for a new dim among `rank` others. IndexError outside [-rank - 1, rank].
int64_t wrap_new_dim(int64_t dim, int64_t rank, const char* op);

// The dims wrapped and sorted; an empty list means all. IndexError if a dim appears twice.
Dims wrap_dims(const Dims& dims, int64_t rank, const char* op = "dims");

// NumPy's rule: align at the right; sizes must be equal, or one of them 1.
Dims broadcast_shapes(const Dims& a, const Dims& b, const char* op = "broadcast");
bool broadcasts_to(const Dims& from, const Dims& to);

std::string to_string(const Dims& dims);  // "(2, 3)", "(5,)", "()"

}  // namespace slope

template <>
struct fmt::formatter<slope::Dims> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  // Written out, because formatter<string_view> would need all of fmt/format.h.
  template <class Context>
  auto format(const slope::Dims& dims, Context& context) const {
    const std::string text = slope::to_string(dims);
    return std::copy(text.begin(), text.end(), context.out());
  }
};
