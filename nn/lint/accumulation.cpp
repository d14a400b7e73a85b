// Checks g(n) = g(1), where g(n) is the gradient of one step that cuts the same examples into n
// micro-batches
#include <slope/autograd/ops.h>
#include <slope/nn/lint/lint.h>
#include <slope/nn/module/state.h>

#include <cmath>

namespace slope::nn::lint {

Findings accumulation(ModuleRef model, const std::function<void(int64_t parts)>& step,
                      int64_t parts) {
  const auto gradients = [&](int64_t n) {
    zero_grad(model);
    step(n);
    Tensors grads;
    for (const Tensor& p : parameters(model))
      grads.push_back(p.grad().defined() ? p.grad().detach().clone().reshape({-1})
                                         : zeros({p.numel()}, p.dtype()));
    zero_grad(model);
    return cat(grads);
  };
  const Tensor whole = gradients(1), summed = gradients(parts);
  const double d = difference(whole, summed);
  if (d <= tolerance(whole.dtype())) return {};
  const double ratio = norm(summed).item() / norm(whole).item();
  return {{"accumulation",
           fmt::format("{} micro-batches give a gradient whose norm is {:.3g} times that of the "
                       "whole batch; they differ by {:.2g} of the largest element",
                       parts, ratio, d),
           ""}};
}

}  // namespace slope::nn::lint
