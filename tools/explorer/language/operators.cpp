#include <slope/tools/explorer/language/operators.h>

#include <cmath>
#include <limits>

namespace slope::explorer {

namespace {

// Hides the sign of nan: which sign an operation gives differs among processors.
double without_sign(double x) {
  return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x;
}

double of_numbers(const std::string& sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "^") return std::pow(a, b);
  throw UsageError(fmt::format("{} needs a tensor on one side", sign));
}

// x and a number on its right; the engine has operations for these.
Tensor with_number(const std::string& sign, const Tensor& x, double b) {
  if (sign == "+") return x + b;
  if (sign == "-") return x - b;
  if (sign == "*") return x * b;
  if (sign == "/") return x / b;
  if (sign == "^") return pow(x, b);
  if (sign == "==") return x == b;
  if (sign == "!=") return x != b;
  if (sign == "<") return x < b;
  if (sign == "<=") return x <= b;
  if (sign == ">") return x > b;
  if (sign == ">=") return x >= b;
  throw ShapeError(fmt::format("{}: a number is not a matrix; use *", sign));
}
// As elsewhere, a whole number keeps an integer tensor integer; a fraction turns it into f32.
Tensor power_of(double a, const Tensor& x) {
  const bool is_whole = a == std::trunc(a) && std::abs(a) < 0x1p53;
  return pow(full({}, a, is_floating(x.dtype()) ? x.dtype() : is_whole ? i64 : f32), x);
}
Tensor of_number(const std::string& sign, double a, const Tensor& x) {
  if (sign == "+") return a + x;
  if (sign == "-") return a - x;
  if (sign == "*") return a * x;
  if (sign == "/") return a / x;
  if (sign == "^") return power_of(a, x);
  const char* turned = sign == "<"    ? ">"
                       : sign == "<=" ? ">="
                       : sign == ">"  ? "<"
                       : sign == ">=" ? "<="
                                      : sign.c_str();
  return with_number(turned, x, a);
}

Tensor of_tensors(const std::string& sign, const Tensor& a, const Tensor& b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return a / b;
  if (sign == "^") return pow(a, b);
  if (sign == "@") return matmul(a, b);
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  return a >= b;
}

int64_t integer(const std::optional<Value>& value, int64_t otherwise) {
  if (!value) return otherwise;
  const auto* number = std::get_if<double>(&value->of);
  if (!number || *number != std::floor(*number) || std::abs(*number) > 0x1p53)
    throw Fault("IndexError",
                fmt::format("an index has to be an integer, got {}", described(*value)),
                value->place);
  return static_cast<int64_t>(*number);
}

}  // namespace

double negated(double x) { return without_sign(-x); }

Value binary(const std::string& sign, const Value& a, const Value& b, DType dtype) {
  const auto *x = std::get_if<double>(&a.of), *y = std::get_if<double>(&b.of);
  if (x && y) return {without_sign(of_numbers(sign, *x, *y))};
  if (y) return {with_number(sign, tensor_of(a, dtype), *y)};
  if (x) return {of_number(sign, *x, tensor_of(b, dtype))};
  return {of_tensors(sign, tensor_of(a, dtype), tensor_of(b, dtype))};
}

Value pick(const Value& of, const std::vector<Part>& parts) {
  if (const auto* list = std::get_if<Values>(&of.of)) {
    const auto n = static_cast<int64_t>(list->size());
    const int64_t at = parts.size() == 1 && !parts[0].is_slice ? integer(parts[0].values[0], 0) : n;
    SLOPE_CHECK_INDEX(at >= -n && at < n, "[]: a list of {} takes one index from {} to {}", n, -n,
                      n - 1);
    return (*list)[static_cast<size_t>(at < 0 ? at + n : at)];
  }
  const auto* x = std::get_if<Tensor>(&of.of);
  SLOPE_CHECK_DTYPE(x, "[]: {} has no elements", described(of));
  Tensor y = *x;
  int64_t dim = 0;
  for (const Part& part : parts) {
    SLOPE_CHECK_INDEX(dim < y.rank(), "[]: {} indices for a tensor of shape {}", parts.size(),
                      x->shape());
    if (part.is_slice) {
      y = slice(y, dim, integer(part.values[0], 0), integer(part.values[1], y.size(dim)),
                integer(part.values[2], 1));
      ++dim;
    } else {
      y = select(y, dim, integer(part.values[0], 0));
    }
  }
  return {y};
}

}  // namespace slope::explorer
