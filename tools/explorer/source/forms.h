// How each function and operator of the explorer's language is written in C++ and in PyTorch.
#pragma once

#include <string_view>

namespace slope::explorer {

// In a form, $x is the argument x as a tensor. Others say what they are: $dim:int, $dim:dims,
// $eps:number, $keepdim:truth, $index:integers, $mask:truths, $xs:tensors, $equation:text,
// $reduction:reduction. $eps:number=1e-5 has a default, which is written only where a form needs
// one. A part in [ ] is left out if none of the arguments in it is given.
struct Form {
  const char* name;     // of the language
  const char* cpp;      // with the names of autograd/ops.h
  const char* pytorch;  // null: there is nothing that gives the same numbers
};

const Form* find_form(std::string_view name);  // null if there is none

}  // namespace slope::explorer
