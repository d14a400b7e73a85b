// Errors: typed exceptions whose message is one line (operation, rule broken, both values, what to
// do), and the checks that throw them. The command turns the type into its exit code, so the type
// tells who has to act: the caller, the file's owner, the disk, the numbers.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace slope {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// clang-format off
struct ShapeError : Error { using Error::Error; };     // sizes or ranks do not fit the operation
struct IndexError : Error { using Error::Error; };     // a dim, position or class out of range
struct DTypeError : Error { using Error::Error; };     // the operation is not defined for this dtype
struct AutogradError : Error { using Error::Error; };  // the tape cannot do what was asked
struct MemoryError : Error { using Error::Error; };    // the allocator could not serve a request
struct UsageError : Error { using Error::Error; };     // exit 2: a flag that makes no sense
struct InputError : Error { using Error::Error; };     // exit 3: unacceptable content
struct IoError : Error { using Error::Error; };        // exit 4: reading or writing failed
struct NumericError : Error { using Error::Error; };   // exit 5: not finite where it must be
// clang-format on

}  // namespace slope

// SLOPE_CHECK_AS(ShapeError, a == b, "matmul: inner sizes differ: {} @ {}", x, y): the message is
// formatted only when the check fails.
#define SLOPE_CHECK_AS(Type, condition, ...) \
  do {                                       \
    if (!(condition)) [[unlikely]]           \
      throw Type(fmt::format(__VA_ARGS__));  \
  } while (false)
#define SLOPE_CHECK(condition, ...) SLOPE_CHECK_AS(::slope::Error, condition, __VA_ARGS__)
#define SLOPE_CHECK_SHAPE(condition, ...) \
  SLOPE_CHECK_AS(::slope::ShapeError, condition, __VA_ARGS__)
#define SLOPE_CHECK_INDEX(condition, ...) \
  SLOPE_CHECK_AS(::slope::IndexError, condition, __VA_ARGS__)
#define SLOPE_CHECK_DTYPE(condition, ...) \
  SLOPE_CHECK_AS(::slope::DTypeError, condition, __VA_ARGS__)
#define SLOPE_CHECK_INPUT(condition, ...) \
  SLOPE_CHECK_AS(::slope::InputError, condition, __VA_ARGS__)
