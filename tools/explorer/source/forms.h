// How each function and operator of the explorer's language is written in C++ and in PyTorch.
#pragma once

#include <string_view>

namespace slope::explorer {

// In a form, $x is the argument x as a tensor. An argument that is no tensor is followed by its
// kind: $dim:int, $dim:dims, $eps:number, $keepdim:truth, $index:integers, $mask:truths,
// $xs:tensors, $equation:text, $reduction:reduction, $dtype:dtype. $eps:number=1e-5 also has a
// default, which is written if the argument was not given. A part in [ ] with arguments is left out
// if none of them was given. null: no code gives the same numbers.
struct Form {
  const char* name;  // of the language
  const char* cpp;   // with the names of autograd/ops.h
  const char* pytorch;
};

// Causal attention with a mask, or with fewer or more queries than keys: PyTorch takes no mask
// beside is_causal, and aligns the causal diagonal with the first key instead of the last.
constexpr const char* unequal_causal_attention = "unequal causal attention";

const Form* find_form(std::string_view name);  // null if there is none

}  // namespace slope::explorer
