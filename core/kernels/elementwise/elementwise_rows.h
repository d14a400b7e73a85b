// The rows of unary_rows.h and binary_rows.h as types: Tanh::f(x), Tanh::df(y), Add::f(a, b).
#pragma once

#include <slope/core/kernels/elementwise/row_functions.h>

#include <tuple>

namespace slope {
namespace {

// clang-format off
#define SLOPE_of_input(derivative)                                                \
  static constexpr bool of_output = false;                                           \
  [[gnu::always_inline]] static auto df([[maybe_unused]] auto x) { return derivative; }
#define SLOPE_of_output(derivative)                                               \
  static constexpr bool of_output = true;                                            \
  [[gnu::always_inline]] static auto df([[maybe_unused]] auto y) { return derivative; }

#define SLOPE_UNARY(Row, op, dtypes, saves, f_of_x, df_of_it, ...)                   \
  struct Row {                                                                       \
    static constexpr auto name = #op;                                                \
    [[gnu::always_inline]] static auto f(auto x) { return f_of_x; }                  \
    SLOPE_##saves(df_of_it)                                                  \
  };
#include <slope/core/kernels/elementwise/unary_rows.h>
#undef SLOPE_of_input
#undef SLOPE_of_output

// Whether the gradient is a choice, g where df is 1 and 0 where it is 0: 0 times an infinite g
// would be nan.
template <class Row>
constexpr bool is_choice = std::same_as<Row, Relu> || std::same_as<Row, Sign>;

#define SLOPE_BINARY(Row, f_of_ab)                                                   \
  struct Row {                                                                       \
    [[gnu::always_inline]] static auto f(auto a, auto b) { return f_of_ab; }         \
  };
#include <slope/core/kernels/elementwise/binary_rows.h>

template <class First, class... Rows>
struct List {
  using type = std::tuple<Rows...>;
};
using UnaryRows = List<void
#define SLOPE_UNARY(Row, ...) , Row
#include <slope/core/kernels/elementwise/unary_rows.h>
>::type;
using BinaryRows = List<void
#define SLOPE_BINARY(Row, ...) , Row
#include <slope/core/kernels/elementwise/binary_rows.h>
>::type;
// clang-format on

template <class Row, class... Rows>
constexpr size_t position(std::tuple<Rows...>*) {
  size_t at = 0;
  (void)((std::same_as<Row, Rows> || (++at, false)) || ...);
  return at;
}
template <class Row>
constexpr size_t unary_index = position<Row>(static_cast<UnaryRows*>(nullptr));
template <class Row>
constexpr size_t binary_index = position<Row>(static_cast<BinaryRows*>(nullptr));

}  // namespace
}  // namespace slope
