// Comparisons and logic: bool results, no derivative. Comparison with nan is false, except for !=.
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/core/loops/copy.h>

#include <cmath>
#include <cstring>
#include <functional>

namespace slope {

namespace {

// y = f(a, b), elementwise, for operands of one C++ type.
template <class T, class F>
Tensor compare_as(const Tensor& a, const Tensor& b, const char* op, F f) {
  Tensor y = Tensor::empty(broadcast_shapes(a.shape(), b.shape(), op), boolean);
  run_binary<T, bool>(
      a, b, y, [f](int64_t n, const T* p, int64_t p_step, const T* q, int64_t q_step, bool* to) {
        if (p_step == 1 && q_step == 1) {
          for (int64_t i = 0; i < n; ++i) to[i] = f(p[i], q[i]);
        } else if (p_step == 1 && q_step == 0) {
          const T value = *q;
          for (int64_t i = 0; i < n; ++i) to[i] = f(p[i], value);
        } else {
          for (int64_t i = 0; i < n; ++i) to[i] = f(p[i * p_step], q[i * q_step]);
        }
      });
  return y;
}

Tensor as(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : contiguous_copy(x, dtype);
}

template <class F>
Tensor compare(const Tensor& a, const Tensor& b, const char* op, F f) {
  const DType dtype = promote(a.dtype(), b.dtype());
  const Tensor p = as(a, dtype), q = as(b, dtype);
  return visit(dtype, [&]<class T> { return compare_as<T>(p, q, op, f); });
}

// b takes the dtype of a floating-point tensor (inf if beyond its range); with integers and bools
// it compares exactly.
template <class F>
Tensor compare(const Tensor& a, Scalar b, const char* op, F f) {
  if (is_floating(a.dtype())) return compare(a, tensor(b.to_double(), a.dtype()), op, f);
  if (b.is_integer()) return compare(a, full({}, b, i64), op, f);
  const double v = b.to_double();
  // nan, or outside the range of int64
  if (!(v >= -0x1p63 && v < 0x1p63)) return full(a.shape(), f(0.0, v), boolean);
  const auto below = static_cast<int64_t>(std::floor(v)),
             above = static_cast<int64_t>(std::ceil(v));
  Tensor y = Tensor::empty(a.shape(), boolean);
  run_unary<int64_t, bool>(as(a, i64), y, [=](int64_t n, const int64_t* p, int64_t step, bool* to) {
    // -1, 0, 1: less, equal, greater
    for (int64_t i = 0; i < n; ++i) to[i] = f((p[i * step] > below) - (p[i * step] < above), 0);
  });
  return y;
}

template <class F>
Tensor logical(const Tensor& a, const Tensor& b, const char* op, F f) {
  return compare_as<bool>(as(a, boolean), as(b, boolean), op, f);
}

template <class F>
Tensor test_each(const Tensor& x, F f) {
  Tensor y = Tensor::empty(x.shape(), boolean);
  visit(x.dtype(), [&]<class T> {
    run_unary<T, bool>(x, y, [f](int64_t n, const T* p, int64_t step, bool* to) {
      for (int64_t i = 0; i < n; ++i) to[i] = f(p[i * step]);
    });
  });
  return y;
}

}  // namespace

Tensor operator==(const Tensor& a, const Tensor& b) { return compare(a, b, "==", std::equal_to()); }
Tensor operator!=(const Tensor& a, const Tensor& b) {
  return compare(a, b, "!=", std::not_equal_to());
}
Tensor operator<(const Tensor& a, const Tensor& b) { return compare(a, b, "<", std::less()); }
Tensor operator<=(const Tensor& a, const Tensor& b) {
  return compare(a, b, "<=", std::less_equal());
}
Tensor operator>(const Tensor& a, const Tensor& b) { return compare(a, b, ">", std::greater()); }
Tensor operator>=(const Tensor& a, const Tensor& b) {
  return compare(a, b, ">=", std::greater_equal());
}
Tensor operator==(const Tensor& a, Scalar b) { return compare(a, b, "==", std::equal_to()); }
Tensor operator!=(const Tensor& a, Scalar b) { return compare(a, b, "!=", std::not_equal_to()); }
Tensor operator<(const Tensor& a, Scalar b) { return compare(a, b, "<", std::less()); }
Tensor operator<=(const Tensor& a, Scalar b) { return compare(a, b, "<=", std::less_equal()); }
Tensor operator>(const Tensor& a, Scalar b) { return compare(a, b, ">", std::greater()); }
Tensor operator>=(const Tensor& a, Scalar b) { return compare(a, b, ">=", std::greater_equal()); }

Tensor operator!(const Tensor& a) {
  return test_each(a, [](auto v) { return v == decltype(v)(0); });
}
Tensor logical_and(const Tensor& a, const Tensor& b) {
  return logical(a, b, "logical_and", std::logical_and());
}
Tensor logical_or(const Tensor& a, const Tensor& b) {
  return logical(a, b, "logical_or", std::logical_or());
}
Tensor logical_xor(const Tensor& a, const Tensor& b) {
  return logical(a, b, "logical_xor", std::not_equal_to());
}

Tensor isfinite(const Tensor& x) {
  return test_each(x, [](auto v) { return std::isfinite(static_cast<double>(v)); });
}
Tensor isinf(const Tensor& x) {
  return test_each(x, [](auto v) { return std::isinf(static_cast<double>(v)); });
}
Tensor isnan(const Tensor& x) {
  return test_each(x, [](auto v) { return v != v; });
}

bool any(const Tensor& x) {
  const Tensor y = contiguous_copy(x, boolean);
  return y.numel() > 0 && std::memchr(y.data<bool>(), 1, static_cast<size_t>(y.numel())) != nullptr;
}
bool all(const Tensor& x) { return !any(!x); }

bool equal(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && all(a == b);
}

// |a - b| <= atol + rtol |b|; equal infinities are close.
bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  const Tensor p = contiguous_copy(a, f64), q = contiguous_copy(b, f64);
  return all(compare_as<double>(p, q, "allclose", [=](double x, double y) {
    return x == y || (equal_nan && x != x && y != y) ||
           (std::isfinite(y) && std::abs(x - y) <= atol + rtol * std::abs(y));
  }));
}

}  // namespace slope
