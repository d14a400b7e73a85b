// What backward says of one output: d<u, y> / dx for every leaf x, and whether backward can be
// believed: it gives the same bits at every pass, is linear in the gradient that it is given, and
// writes into nobody's memory.
#pragma once

#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/core/tensor/named_tensor.h>

namespace slope {

struct Analytic {
  Tensors gradients;                  // one for each leaf; undefined where the tape does not reach
  std::vector<std::string> problems;  // why it cannot be believed
};

struct AnalyticOptions {
  bool formula = false;  // through formulas rather than kernels
  Tolerance tolerance;
  uint64_t seed = 0;
};
Analytic gradients_of(const Tensor& y, const Tensor& u, const NamedTensors& leaves,
                      const AnalyticOptions& options);

}  // namespace slope
