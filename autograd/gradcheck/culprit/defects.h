// Which calls make the error of a directional derivative.
//
// The leaves move along v. Differences give what every tensor of the forward does then, dx; the
// pass gives its gradient g. A call y = f(x_1, …) whose rule gives c_1, … from g adds to the error
//
//   defect = <g, dy> - sum_i <c_i, dx_i>
//
// and the sum over all calls is the error of the whole, <u, dY> - <gradient, v>: between the calls
// everything cancels. So two more evaluations of the function judge every call, each on the values
// that it met.
#pragma once

#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

struct Defect {
  size_t call;  // in the list of the evaluation
  double size;  // infinite where the rule gives nan or infinity for a finite g
  // an input that moves and carries no gradient; -1: none. The defect may be its alone.
  int64_t cut_input = -1;
};

struct Direction {
  Tensor leaf, v;  // v of the leaf's shape
};

// Those that count, the largest first. Empty where the function takes other ways when it moves.
std::vector<Defect> find_defects(const std::function<Tensors()>& f, const Evaluation& at,
                                 const WatchFlow& flow, const std::vector<Direction>& directions,
                                 double step);

}  // namespace slope
