// The equation of an einsum, such as "bqd,bkd->bqk": a name for each dim of the operands and of the
// result. Private to autograd.
#pragma once

#include <slope/core/tensor/dims.h>

#include <string>
#include <vector>

namespace slope {

// A character for each dim: its letter. The dims that "..." stands for have the codes …, 2, 1
// instead, counted from the last, because broadcasting aligns dims from the last.
using DimNames = std::string;

struct EinsumEquation {
  std::vector<DimNames> operands;
  DimNames result;
};

// Parses the equation for operands of these ranks. Without "->" the result has the dims of "...",
// then the letters that occur once, in alphabetical order. ShapeError if the equation does not fit.
EinsumEquation parse_einsum(const std::string& equation, const Dims& ranks);

}  // namespace slope
