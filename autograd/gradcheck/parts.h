// Backward must give the same for one leaf alone as for all at once, and for several outputs at
// once the sum of what it gives for each. A rule may compute less where less is wanted, but no
// other numbers.
#pragma once

#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/passes.h>

#include <string>
#include <string_view>
#include <vector>

namespace slope {

// the words by which these problems are recognised
inline constexpr std::string_view parts_text = "backward depends on what is asked for";

struct AloneOptions {
  Tolerance tolerance;
  bool rounds_to_bf16;  // whether a rule does
};
struct TogetherOptions {
  bool formula;  // through formulas instead of kernels
  Tolerance tolerance;
};

// A message if one leaf alone has another gradient. `of_u`: those of all leaves for u.
std::string alone_problem(const Passes& passes, const Tensor& u, const Tensors& of_u,
                          const NamedTensors& leaves, const AloneOptions& options);

// A message if all outputs at once have other gradients than one by one, which are `gradients`:
// [leaf][output].
std::string together_problem(const Forward& forward, const NamedTensors& leaves,
                             const std::vector<Tensors>& gradients, const TogetherOptions& options);

}  // namespace slope
