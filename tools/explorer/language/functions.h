// The functions of the explorer's language: every operation of autograd/ops.h that has a
// derivative, and functions that make tensors.
#pragma once

#include <slope/tools/explorer/language/arguments.h>

#include <span>

namespace slope::explorer {

struct Function {
  const char* name;
  const char* parameters;  // "x, dim = -1"; one that ends with … takes all that is left
  Value (*call)(const Arguments& a);
  bool makes_leaf = false;  // x = randn(3) makes x a leaf
};

// One list for each file.
std::span<const Function> making_functions();
std::span<const Function> elementwise_functions();
std::span<const Function> reducing_functions();
std::span<const Function> shaping_functions();
std::span<const Function> other_functions();

const Function* find_function(const std::string& name);  // null if there is none
std::vector<std::string> function_names();

}  // namespace slope::explorer
