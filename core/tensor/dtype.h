// DType: the type of an element: names, sizes, the dispatcher from a run-time dtype to a C++ type,
// and the promotion rule.
#pragma once

#include <slope/core/error.h>

#include <concepts>
#include <cstdint>

namespace slope {

enum class DType : uint8_t { f32, f64, i64, boolean };
inline constexpr DType f32 = DType::f32, f64 = DType::f64, i64 = DType::i64,
                       boolean = DType::boolean;

constexpr const char* name(DType dtype) {  // as PyTorch prints it
  return dtype == DType::f32   ? "float32"
         : dtype == DType::f64 ? "float64"
         : dtype == DType::i64 ? "int64"
                               : "bool";
}
constexpr int64_t size_of(DType dtype) {
  constexpr int64_t sizes[] = {4, 8, 8, 1};
  return sizes[static_cast<int>(dtype)];
}
constexpr bool is_floating(DType dtype) { return dtype == f32 || dtype == f64; }

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int64_t> ||
    std::same_as<T, bool>;
template <Element T>
constexpr DType dtype_of = std::same_as<T, float>     ? f32
                           : std::same_as<T, double>  ? f64
                           : std::same_as<T, int64_t> ? i64
                                                      : boolean;

// A value as an element. DTypeError if an int64 cannot hold it (nan, infinities, beyond 63 bits).
template <Element T, class V>
T as_element(V value) {
  if constexpr (std::same_as<T, int64_t> && std::floating_point<V>)
    SLOPE_CHECK_DTYPE(value >= V(-0x1p63) && value < V(0x1p63), "{} does not fit in int64", value);
  return static_cast<T>(value);
}

// bool < i64 < f32 < f64: the dtype of a result of two operands.
constexpr DType promote(DType a, DType b) {
  constexpr int order[] = {2, 3, 1, 0};
  return order[static_cast<int>(a)] >= order[static_cast<int>(b)] ? a : b;
}

// visit(dtype, [&]<class T>() { … }) calls the lambda with the element's C++ type.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case f32: return f.template operator()<float>();
    case f64: return f.template operator()<double>();
    case i64: return f.template operator()<int64_t>();
    default: return f.template operator()<bool>();
  }
}
// DTypeError, which names `op`, for dtypes other than f32 and f64.
inline void check_floating(DType dtype, const char* op) {
  SLOPE_CHECK_DTYPE(is_floating(dtype), "{}: needs float32 or float64, got {}", op, name(dtype));
}
// visit for f32 and f64 only.
template <class F>
decltype(auto) visit_floating(DType dtype, const char* op, F&& f) {
  check_floating(dtype, op);
  if (dtype == f32) return f.template operator()<float>();
  return f.template operator()<double>();
}

}  // namespace slope
