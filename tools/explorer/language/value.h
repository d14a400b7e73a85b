// The value of an expression in the explorer's language.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/tools/explorer/language/fault.h>

#include <variant>

namespace slope::explorer {

struct Value;
using Values = std::vector<Value>;

struct Value {
  std::variant<double, bool, std::string, Tensor, Values> of;
  Place place = {};
};

// "a number", "a tensor of shape (2, 3)": for messages
std::string described(const Value& value);

// Numbers, booleans or nested lists of either as a tensor; Fault if lists differ in length.
Tensor tensor_of(const Value& value, DType dtype);

}  // namespace slope::explorer
