// Hooks and retained gradients: run when a gradient is complete, before anything uses it.
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/grad_mode.h>

namespace slope {

// Applies the hooks to g. Copies their list, as a hook may register others.
static void apply(const std::vector<Hook> hooks, Tensor& g) {
  for (const Hook& hook : hooks) {
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
}

void Pass::run_hooks(const Node& node) {
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    const Ref<GradSlot> slot = node.outputs[k].slot;
    Tensor& g = sums_[node.slot + k];
    if (!slot || !g.defined()) continue;
    apply(slot->hooks, g);
    if (slot->retains_grad) slot->replace(plus(slot->read(), g));
  }
}

void Pass::finish() {
  if (is_within) return;
  const GradMode mode(options_.create_graph);
  for (size_t i = 0; i < leaves_.size(); ++i)
    apply(autograd_meta(*leaves_[i])->slot->hooks, leaf_sums_[i]);
}

void Tensor::retain_grad() const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "retain_grad: this tensor requires no gradient");
  if (!is_leaf()) ensure_grad_slot(*this).retains_grad = true;
}

void Tensor::register_hook(Hook hook) const {
  SLOPE_CHECK_AS(AutogradError, requires_grad(), "register_hook: this tensor requires no gradient");
  ensure_grad_slot(*this).hooks.push_back(std::move(hook));
}

}  // namespace slope
