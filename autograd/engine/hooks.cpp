// Hooks and retained gradients: run when a gradient is complete, before anything uses it.
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/engine/pass.h>

namespace slope {

void Pass::run_hooks(const Ref<GradSlot> slot, Tensor& g) {
  if (!slot || !g.defined()) return;
  for (const Hook& hook : slot->hooks_now()) {  // a hook, or another thread, may register others
    const Tensor changed = hook(g);
    if (!changed.defined()) continue;
    SLOPE_CHECK_SHAPE(changed.shape() == g.shape(),
                      "hook: the gradient has shape {}, the hook returned {}", g.shape(),
                      changed.shape());
    SLOPE_CHECK_DTYPE(changed.dtype() == g.dtype(),
                      "hook: the gradient is {}, the hook returned {}", name(g.dtype()),
                      name(changed.dtype()));
    g = changed;
  }
  if (slot->retains_grad) slot->replace(plus(slot->read(), g));
}

void Tensor::retain_grad() const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "retain_grad: this tensor requires no gradient");
  if (!is_leaf()) ensure_grad_slot(*this).retains_grad = true;
}

void Tensor::register_hook(Hook hook) const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "register_hook: this tensor requires no gradient");
  ensure_grad_slot(*this).add(std::move(hook));
}

}  // namespace slope
