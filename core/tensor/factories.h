// New tensors without gradients. Each random one takes the next site of generator()
// (core/tensor/random.h).
#pragma once

#include <slope/core/tensor/random.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

Tensor zeros(const Dims& shape, DType dtype = f32);
Tensor ones(const Dims& shape, DType dtype = f32);
Tensor full(const Dims& shape, Scalar value, DType dtype = f32);
Tensor arange(int64_t end);                                         // 0, 1, … end-1; i64
Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype);  // [start, end)
Tensor linspace(double start, double end, int64_t steps, DType dtype = f32);
Tensor eye(int64_t n, int64_t m = -1, DType dtype = f32);  // (n, m); m = -1: (n, n)

Tensor rand(const Dims& shape, DType dtype = f32);   // uniform in [0, 1)
Tensor randn(const Dims& shape, DType dtype = f32);  // standard normal
// integers, uniform in [low, high)
Tensor randint(int64_t low, int64_t high, const Dims& shape, DType dtype = i64);
Tensor randperm(int64_t n);         // a permutation of 0 … n-1, i64
Tensor bernoulli(const Tensor& p);  // 1 with probability p, else 0; p's shape and dtype
Tensor zeros_like(const Tensor& x);
Tensor ones_like(const Tensor& x);
Tensor full_like(const Tensor& x, Scalar value);
Tensor empty_like(const Tensor& x);
Tensor rand_like(const Tensor& x);
Tensor randn_like(const Tensor& x);
Tensor randint_like(const Tensor& x, int64_t low, int64_t high);
Tensor bernoulli_like(const Tensor& x, double p);

// A literal: tensor({{1, 2}, {3, 4}}), tensor(2.5), tensor({true, false}). Integers give i64, other
// numbers f32, booleans bool, as in PyTorch.
struct Literal {
  Literal(bool value) : dtype(boolean), value(value) {}
  Literal(int value) : dtype(i64), value(value) {}
  Literal(int64_t value) : dtype(i64), value(value) {}
  Literal(float value) : value(value) {}
  Literal(double value) : value(value) {}
  template <class T>
  Literal(T*) = delete;  // a string would convert to true
  Literal(std::initializer_list<Literal> items) : items(items), is_list(true) {}

  DType dtype = f32;
  Scalar value = 0;
  std::vector<Literal> items;
  bool is_list = false;
};
Tensor tensor(const Literal& literal);
Tensor tensor(const Literal& literal, DType dtype);
template <Element T>
Tensor from_vector(const std::vector<T>& values, const Dims& shape) {
  Tensor x = Tensor::empty(shape, dtype_of<T>);
  SLOPE_CHECK_SHAPE(x.numel() == static_cast<int64_t>(values.size()),
                    "from_vector: {} values do not fill shape {}", values.size(), shape);
  std::copy(values.begin(), values.end(), x.write<T>().get());
  return x;
}

}  // namespace slope
