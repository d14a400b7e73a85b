// Operators of the explorer's language: between two values, and x[…].
#pragma once

#include <slope/tools/explorer/language/value.h>

#include <optional>

namespace slope::explorer {

// Arithmetic, "@" and comparisons; two numbers give a number.
Value binary(const std::string& sign, const Value& a, const Value& b, DType dtype);
double negated(double x);

struct Part {
  bool is_slice = false;
  std::optional<Value> values[3] = {};  // index; or first, last, step
};
Value pick(const Value& of, const std::vector<Part>& parts);

}  // namespace slope::explorer
