// Errors: typed exceptions whose message is one line (operation, rule broken, both values, what to
// do), and the checks that throw them. The command turns the type into its exit code, so the type
// tells where the cause lies: in the call, in a file's content, in the system, in the numbers.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace slope {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Operands that do not fit their operation. The message ends with the module whose forward ran:
// "linear: … (in module encoder.layers.0.fc1)".
struct OperandError : Error {
  explicit OperandError(const std::string& text);
};

// clang-format off
struct ShapeError : OperandError { using OperandError::OperandError; };  // sizes or ranks
struct IndexError : OperandError { using OperandError::OperandError; };  // a dim, index or class
struct DTypeError : OperandError { using OperandError::OperandError; };  // an unsupported dtype

struct AutogradError : Error { using Error::Error; };  // the tape cannot do what was asked
struct MemoryError : Error { using Error::Error; };    // the allocator could not serve a request
struct UsageError : Error { using Error::Error; };     // exit 2: an invalid flag or argument
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
