// Copying elements between layouts and dtypes, without gradients.
#pragma once

#include <slope/core/tensor/tensor.h>

namespace slope {

// to = from, of the same shape and any strides. Converts the dtype: to bool as x != 0, to i64 by
// truncation (DTypeError if a value does not fit).
void copy_into(const Tensor& from, const Tensor& to);
// to[i] = from[i], as if all were read before any is written
void copy_each(const Tensors& from, const Tensors& to);
void fill(const Tensor& x, Scalar value);
void add_into(const Tensor& from, const Tensor& to);  // to += from; same shape and floating dtype
Tensor contiguous_copy(const Tensor& x);
Tensor contiguous_copy(const Tensor& x, DType dtype);
// A storage's f32 numbers in bf16: copied at the first call, then the same copy until the storage
// is written.
Storage bf16_twin(const Storage& storage);

}  // namespace slope
