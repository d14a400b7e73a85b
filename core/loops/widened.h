// A range of a tensor's elements as an array of T. Elements of a bf16 tensor are converted to
// float, into memory of this object. A loop that takes one short range after another then finds
// each in the cache.
#pragma once

#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

template <class T>
class Widened {
 public:
  // Elements begin, …, end - 1 of x, which is contiguous and of dtype T, or bf16 if T is float.
  Widened(const Tensor& x, int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, float>)
      if (x.dtype() == bf16) {
        memory_ = Tensor::empty({end - begin}, f32);
        T* to = memory_.write<T>();
        kernels<Bf16Copy>().widen(end - begin, bits_of(x.data<BFloat16>() + begin), to);
        data_ = to;
        return;
      }
    data_ = x.data<T>() + begin;
  }
  operator const T*() const { return data_; }

 private:
  Tensor memory_;
  const T* data_;
};

}  // namespace slope
