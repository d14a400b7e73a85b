// Planted mistakes: wrong rules in place of right ones, for the learner to find by the check. Each
// stands for an operation of the language, whose forward it leaves as it is.
#pragma once

#include <slope/autograd/ops.h>

#include <span>
#include <string>

namespace slope::explorer {

struct Mistake {
  const char* name;   // "sign of sin"
  const char* place;  // the function or sign that is replaced: "sin", "@"
  const char* truth;  // what is wrong, for after the answer
  Tensor (*call)(const Tensor& a, const Tensor& b);  // b: undefined for functions of one tensor
};

std::span<const Mistake> mistakes();
const Mistake* find_mistake(const std::string& name);  // null where there is none

}  // namespace slope::explorer
