// DType, the type of an element: its names and sizes, the dispatcher from a run-time dtype to a C++
// type, and the promotion rule.
#pragma once

#include <slope/core/error.h>
#include <slope/core/tensor/bfloat16.h>
#include <slope/core/tensor/scalar.h>

#include <concepts>
#include <cstdint>

namespace slope {

enum class DType : uint8_t { f32, f64, i64, boolean, bf16 };
inline constexpr DType f32 = DType::f32, f64 = DType::f64, i64 = DType::i64,
                       boolean = DType::boolean, bf16 = DType::bf16;

constexpr const char* name(DType dtype) {  // as PyTorch prints it
  return dtype == DType::f32    ? "float32"
         : dtype == DType::f64  ? "float64"
         : dtype == DType::i64  ? "int64"
         : dtype == DType::bf16 ? "bfloat16"
                                : "bool";
}
constexpr int64_t size_of(DType dtype) {
  constexpr int64_t sizes[] = {4, 8, 8, 1, 2};
  return sizes[static_cast<int>(dtype)];
}
constexpr bool is_floating(DType dtype) { return dtype == f32 || dtype == f64 || dtype == bf16; }
// Whether operations compute in this dtype; bf16 is for storing values and for the operands of
// products (core/product/autocast.h).
constexpr bool is_computed_in(DType dtype) { return dtype == f32 || dtype == f64; }

template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, int64_t> ||
    std::same_as<T, bool> || std::same_as<T, BFloat16>;
template <Element T>
constexpr DType dtype_of = std::same_as<T, float>      ? f32
                           : std::same_as<T, double>   ? f64
                           : std::same_as<T, int64_t>  ? i64
                           : std::same_as<T, BFloat16> ? bf16
                                                       : boolean;

// A value as an element. DTypeError, which names `op`, if an int64 cannot hold it (nan, infinities,
// beyond 63 bits).
template <Element T, class V>
T as_element(V value, [[maybe_unused]] const char* op = "to") {
  if constexpr (std::same_as<V, BFloat16> && !std::same_as<T, V>)
    return as_element<T>(static_cast<float>(value), op);
  if constexpr (std::same_as<T, int64_t> && std::floating_point<V>)
    SLOPE_CHECK_DTYPE(value >= V(-0x1p63) && value < V(0x1p63), "{}: {} does not fit in int64", op,
                      value);
  return static_cast<T>(value);
}
template <Element T>
T as_element(Scalar value, const char* op) {
  if constexpr (std::same_as<T, int64_t>)
    if (value.is_integer()) return value.to_int64();
  return as_element<T>(value.to_double(), op);
}

// The dtype of a result of two operands: the higher one in bool < i64 < bf16 < f32 < f64.
constexpr DType promote(DType a, DType b) {
  constexpr int order[] = {3, 4, 1, 0, 2};
  return order[static_cast<int>(a)] >= order[static_cast<int>(b)] ? a : b;
}

// visit(dtype, [&]<class T>() { … }) calls the lambda with the element's C++ type.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case f32: return f.template operator()<float>();
    case f64: return f.template operator()<double>();
    case i64: return f.template operator()<int64_t>();
    case bf16: return f.template operator()<BFloat16>();
    default: return f.template operator()<bool>();
  }
}
// DTypeError, which names `op`, for bf16, because nothing is summed in it.
inline void refuse_bf16(DType dtype, const char* op) {
  SLOPE_CHECK_DTYPE(dtype != bf16, "{}: does not take bfloat16; convert it with to(f32)", op);
}
// DTypeError, which names `op`, for dtypes other than f32 and f64.
inline void check_floating(DType dtype, const char* op) {
  SLOPE_CHECK_DTYPE(is_computed_in(dtype), "{}: needs float32 or float64, got {}{}", op,
                    name(dtype), dtype == bf16 ? "; convert it with to(f32)" : "");
}
// visit for f32 and f64 only.
template <class F>
decltype(auto) visit_floating(DType dtype, const char* op, F&& f) {
  check_floating(dtype, op);
  if (dtype == f32) return f.template operator()<float>();
  return f.template operator()<double>();
}

}  // namespace slope
