#include <slope/autograd/ops.h>
#include <slope/nn/module/hooks.h>

#include <algorithm>

namespace slope::nn {

void ModuleHooks::remove(int id) {
  const auto has_id = [id](const auto& hook) { return hook.first == id; };
  std::erase_if(before_, has_id);
  std::erase_if(after_, has_id);
  std::erase_if(backward_, has_id);
  std::erase_if(watchers_, has_id);
}

// The gradients of one call, as they arrive.
struct HookedCall::Gradients {
  HookList<BackwardHook> hooks;
  Tensors of_inputs;
  Tensor of_output;
  size_t needed = 0, arrived = 0;

  // The replacement for the gradient of the only input; undefined: none.
  Tensor run() {
    Tensor replaced;
    for (const auto& [id, hook] : hooks) {
      const Tensor result = hook(of_inputs, of_output);
      if (!result.defined()) continue;
      SLOPE_CHECK_AS(UsageError, needed == 1,
                     "full backward hook: the module has {} inputs with gradients; only that of a "
                     "single one can be replaced",
                     needed);
      for (Tensor& g : of_inputs)
        if (g.defined()) g = result;
      replaced = result;
    }
    arrived = 0;  // the graph may be run again
    return replaced;
  }
};

HookedCall::HookedCall(const ModuleHooks& hooks, Tensors inputs)
    : after_(hooks.after_), watchers_(hooks.watchers_), inputs_(std::move(inputs)) {
  const auto before = hooks.before_;
  for (const auto& [id, hook] : before) {
    const Tensors replaced = hook(inputs_);
    SLOPE_CHECK_AS(UsageError, replaced.empty() || replaced.size() == inputs_.size(),
                   "forward pre-hook: gives {} tensors in place of {}", replaced.size(),
                   inputs_.size());
    if (!replaced.empty()) inputs_ = replaced;
  }
  if (hooks.backward_.empty()) return;
  gradients_ = std::make_shared<Gradients>();
  gradients_->hooks = hooks.backward_;
  gradients_->of_inputs.resize(inputs_.size());
  const Tensors originals = inputs_;
  for (size_t i = 0; i < originals.size(); ++i) {
    const Tensor& x = originals[i];
    if (!x.defined() || !x.requires_grad()) continue;
    const auto first = static_cast<size_t>(
        std::find_if(originals.begin(), originals.end(),
                     [&](const Tensor& other) { return other.defined() && other.is_same(x); }) -
        originals.begin());
    if (first < i) {
      inputs_[i] = inputs_[first];
      continue;
    }
    inputs_[i] = x * 1;  // a new tensor, whose gradient comes from this call alone
    ++gradients_->needed;
    inputs_[i].register_hook([all = gradients_, i](const Tensor& g) {
      all->of_inputs[i] = g;
      return ++all->arrived == all->needed ? all->run() : Tensor();
    });
  }
}

Tensor HookedCall::finish(Tensor y) const {
  for (const auto& [id, hook] : after_)
    if (Tensor replaced = hook(inputs_, y); replaced.defined()) y = std::move(replaced);
  for (const auto& [id, watcher] : watchers_) watcher(y);
  if (!gradients_ || !y.requires_grad()) return y;
  y = y * 1;  // it may be an input, or a tensor that others hold
  y.register_hook([all = gradients_](const Tensor& g) {
    all->of_output = g;
    if (all->needed == 0) (void)all->run();
    return Tensor();
  });
  return y;
}

void HookHandle::remove() {
  if (const auto hooks = hooks_.lock()) hooks->remove(id_);
}

namespace {

// The hooks of a module, created with the first one.
const std::shared_ptr<ModuleHooks>& hooks_of(ModuleRef module, const char* who) {
  const ModuleState* state = module.state();
  SLOPE_CHECK_AS(UsageError, state, "{}: a {} is never called; put the hook on one of its items",
                 who, module.type());
  if (!state->hooks) state->hooks = std::make_shared<ModuleHooks>();
  return state->hooks;
}

}  // namespace

HookHandle register_forward_pre_hook(ModuleRef module, ForwardPreHook hook) {
  const auto& hooks = hooks_of(module, "register_forward_pre_hook");
  return {hooks, hooks->add_before(std::move(hook))};
}
HookHandle register_forward_hook(ModuleRef module, ForwardHook hook) {
  const auto& hooks = hooks_of(module, "register_forward_hook");
  return {hooks, hooks->add_after(std::move(hook))};
}
HookHandle register_full_backward_hook(ModuleRef module, BackwardHook hook) {
  const auto& hooks = hooks_of(module, "register_full_backward_hook");
  return {hooks, hooks->add_backward(std::move(hook))};
}
HookHandle watch_calls(ModuleRef module, Watcher watcher) {
  const auto& hooks = hooks_of(module, "watch_calls");
  return {hooks, hooks->add_watcher(std::move(watcher))};
}

}  // namespace slope::nn
