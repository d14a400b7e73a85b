// Planted mistakes: wrong rules for the learner to find with the gradient check. Each replaces the
// rule of an operator, or of a function called with one argument, and keeps its forward unchanged.
#pragma once

#include <slope/autograd/ops.h>

#include <span>
#include <string>

namespace slope::explorer {

struct Mistake {
  const char* name;   // "sign"
  const char* place;  // the function or operator that is replaced: "sin", "@"
  const char* truth;  // what is wrong, shown after the answer
  Tensor (*call)(const Tensor& a, const Tensor& b);  // b: undefined for functions of one tensor
};

std::span<const Mistake> mistakes();
const Mistake* find_mistake(const std::string& name);  // null if there is none

}  // namespace slope::explorer
