#include <slope/nn/module/hooks.h>

namespace slope::nn {

Tensor ForwardHooks::run(const Tensors& inputs, Tensor output) const {
  const auto hooks = hooks_;  // a hook may remove itself
  for (const auto& [id, hook] : hooks)
    if (Tensor replaced = hook(inputs, output); replaced.defined()) output = std::move(replaced);
  return output;
}

int ForwardHooks::add(ForwardHook hook) {
  hooks_.emplace_back(next_, std::move(hook));
  return next_++;
}

void ForwardHooks::remove(int id) {
  std::erase_if(hooks_, [id](const auto& hook) { return hook.first == id; });
}

void HookHandle::remove() {
  if (const auto hooks = hooks_.lock()) hooks->remove(id_);
}

HookHandle register_forward_hook(ModuleRef module, ForwardHook hook) {
  const ModuleState* state = module.state();
  SLOPE_CHECK_AS(UsageError, state,
                 "register_forward_hook: a {} is never called; put the hook on one of its items",
                 module.type());
  if (!state->hooks) state->hooks = std::make_shared<ForwardHooks>();
  return {state->hooks, state->hooks->add(std::move(hook))};
}

}  // namespace slope::nn
