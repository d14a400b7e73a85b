// The explorer's language: each line is a statement that reads as in PyTorch.
//
//   w = randn(3, 2)               # a leaf: a name for numbers, given or random
//   x = [[1, 2, 3], [4, 5, 6]]    # another
//   mask = const([1, 0])          # numbers that need no gradient
//   y = softmax(x @ w, dim=-1)    # + - * / ^ @, comparisons, calls, x[0, 1:3], x.T
//   first, rest = split(y, 1)
//   repeat 3: x = tanh(x) * 0.5
//   L = sum(y ^ 2)                # backward begins at the last statement's value
//   grad(x) = 2 * x               # a claim: the check compares it
#pragma once

#include <slope/tools/explorer/language/fault.h>

#include <memory>
#include <string>
#include <vector>

namespace slope::explorer {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Argument {
  std::string name;  // "" if it is given by position
  ExpressionPtr value;
};

// One of x[...]: an index, or first:last:step if `is_slice`; parts left out are null.
struct Subscript {
  bool is_slice = false;
  ExpressionPtr parts[3];
};

struct Expression {
  enum class Kind { number, text, truth, name, list, call, negate, binary, subscript, transposed };
  Kind kind;
  Place place;
  double number = 0;
  int height = 1;                        // of the tree below it
  std::string name = {};                 // of a name, text, call; of an operation: "+", "=="
  std::vector<Argument> arguments = {};  // of a call; a list's elements; operands
  std::vector<Subscript> subscripts = {};
};

struct Statement {
  enum class Kind { assign, claim, evaluate, repeat };
  Kind kind;
  Place place;
  std::vector<std::string> names = {};  // assigned to
  ExpressionPtr value = {};
  int64_t times = 0;  // of a repeat
  std::vector<Statement> body = {};
};

std::vector<Statement> parse(const std::string& program);  // throws Fault

}  // namespace slope::explorer
