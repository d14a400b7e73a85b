// Which calls cause the error of a directional derivative.
//
// The leaves move along v. Differences give the change dx of every tensor of the forward; backward
// gives its gradient g. A call y = f(x_1, …) whose rule gives c_1, … from g adds to the error
//
//   defect = <g, dy> - sum_i <c_i, dx_i>
//
// and the sum over all calls is the total error, <u, dY> - <gradient, v>, where Y is the function's
// output and u its cotangent: between the calls everything cancels. So two more evaluations of the
// function measure the error of every call, at the values of the failing check.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

struct Defect {
  size_t call;  // index in the list of the evaluation
  double size;  // infinite if the rule gives nan or infinity for a finite g
  // an input that moves but carries no gradient; -1: none. It may be the whole defect.
  int64_t cut_input = -1;
  const char* cut_number = nullptr;  // an argument that moves, but is no tensor: item()
  bool is_cut() const { return cut_input >= 0 || cut_number; }
};

struct Direction {
  Tensor leaf, v;  // v of the leaf's shape
};

// The defects that matter, largest first. Empty if f makes other calls when the leaves move.
std::vector<Defect> find_defects(const std::function<Tensors()>& f, const Evaluation& at,
                                 const WatchFlow& flow, const std::vector<Direction>& directions,
                                 double step);

}  // namespace slope
