// Part of a tensor's numbers as T. Those of a bf16 tensor are widened into memory of this object: a
// loop that reads them part by part finds each in the cache.
#pragma once

#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

template <class T>
class Widened {
 public:
  // Elements begin … end - 1 of the contiguous x, which is of dtype T, or bf16 if T is float.
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
