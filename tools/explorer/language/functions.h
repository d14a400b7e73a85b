// The functions of the explorer's language: operations of autograd/ops.h that have a derivative,
// under the same names, and functions that make tensors or constants.
#pragma once

#include <slope/tools/explorer/language/arguments.h>

#include <span>

namespace slope::explorer {

struct Function {
  const char* name;
  const char* parameters;  // "x, dim = -1"; the last takes all further arguments if it ends with …
  Value (*call)(const Arguments& a);
  bool makes_leaf = false;  // x = randn(3) makes x a leaf
};

// Each is defined in the file of its group: making_functions() in functions.cpp, …
std::span<const Function> making_functions();
std::span<const Function> elementwise_functions();
std::span<const Function> reducing_functions();
std::span<const Function> shaping_functions();
std::span<const Function> product_functions();

const Function* find_function(const std::string& name);  // null if there is none
std::vector<std::string> function_names();

}  // namespace slope::explorer
