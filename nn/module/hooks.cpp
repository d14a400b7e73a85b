#include <slope/autograd/grad_mode.h>
#include <slope/autograd/op.h>
#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>
#include <slope/core/tensor/factories.h>
#include <slope/nn/module/hooks.h>

#include <algorithm>
#include <utility>

namespace slope::nn {

namespace {
Mutex hooks_mutex;  // guards the lists of all modules and who made them
[[maybe_unused]] const bool hooks_are_held = hold_over_fork(ForkOrder::tables, hooks_mutex);
}  // namespace

std::shared_ptr<ModuleHooks> HooksOnce::made() {
  const Lock lock(hooks_mutex);
  if (!hooks_) hooks_ = std::make_shared<ModuleHooks>();
  found_.store(hooks_.get(), std::memory_order_release);
  return hooks_;
}

std::shared_ptr<const HookLists> ModuleHooks::now() const {
  const Lock lock(hooks_mutex);
  return lists_;
}

bool ModuleHooks::need_a_tensor() const {
  const auto lists = now();
  return !(lists->before.empty() && lists->after.empty() && lists->backward.empty());
}

// The old lists, which may be the last to hold a hook, end after unlocking.
template <class Hook>
int ModuleHooks::add(HookList<Hook> HookLists::*list, Hook hook) {
  std::shared_ptr<const HookLists> lists;
  const Lock lock(hooks_mutex);
  const auto changed = std::make_shared<HookLists>(*lists_);
  ((*changed).*list).emplace_back(next_, std::move(hook));
  lists = std::exchange(lists_, changed);
  return next_++;
}

void ModuleHooks::remove(int id) {
  std::shared_ptr<const HookLists> lists;
  const Lock lock(hooks_mutex);
  const auto changed = std::make_shared<HookLists>(*lists_);
  const auto has_id = [id](const auto& hook) { return hook.first == id; };
  std::erase_if(changed->before, has_id);
  std::erase_if(changed->after, has_id);
  std::erase_if(changed->backward, has_id);
  std::erase_if(changed->watchers, has_id);
  lists = std::exchange(lists_, changed);
}

// What the operations before and after the forward of one call share.
struct HookedGradients {
  HookList<BackwardHook> hooks;     // no others: they may hold what the graph belongs to
  size_t inputs = 0;                // of the call
  std::vector<size_t> places = {};  // of those that need a gradient
  Tensor of_output = {};            // in a backward pass, until it reaches the inputs

  // dx: the gradients of the inputs at `places`
  void run(Grads& dx, const Tensor& dy) const {
    Tensors of_inputs(inputs);
    for (size_t k = 0; k < places.size(); ++k) of_inputs[places[k]] = dx[k];
    for (const auto& [id, hook] : hooks) {
      const Tensor result = hook(of_inputs, dy);
      if (!result.defined()) continue;
      SLOPE_CHECK_AS(UsageError, places.size() == 1,
                     "full backward hook: the module has {} inputs with gradients; only that of a "
                     "single input can be replaced",
                     places.size());
      SLOPE_CHECK_SHAPE(result.shape() == dx[0].shape(),
                        "full backward hook: the gradient has shape {}, the hook returned {}",
                        dx[0].shape(), result.shape());
      SLOPE_CHECK_DTYPE(result.dtype() == dx[0].dtype(),
                        "full backward hook: the gradient is {}, the hook returned {}",
                        name(dx[0].dtype()), name(result.dtype()));
      dx[0] = of_inputs[places[0]] = result;
    }
  }
};

namespace {

Grads hooked_inputs_formula(const slope::Saved& s, const Tensor&) {
  auto& gradients = s.object<HookedGradients>("gradients");
  Grads dx;
  for (int k = 0; k < s.inputs(); ++k) dx.push_back(s.grad_or_zeros(k));
  const Tensor dy = std::exchange(gradients.of_output, Tensor());
  if (s.grad(s.inputs()).defined()) gradients.run(dx, dy);  // the token's: this pass made dy
  return dx;
}

// dy is kept for hooked_inputs, unless this pass does not go on to it. Input 1 of this node is the
// first input that needs a gradient.
Grads hooked_output_formula(const slope::Saved& s, const Tensor& dy) {
  auto& gradients = s.object<HookedGradients>("gradients");
  if (gradients.places.empty()) {
    Grads none;
    gradients.run(none, dy);
    return {dy};
  }
  if (!s.needs(1)) return {dy, Tensor()};
  gradients.of_output = dy;
  return {dy, zeros({0})};
}

constexpr Op hooked_inputs{.name = "hooked_inputs",
                           .signature = "(*)... -> (*)...",
                           .definition = {"y = x", "dx = what the hooks make of g"},
                           .formula = hooked_inputs_formula};
constexpr Op hooked_output{.name = "hooked_output",
                           .signature = "(*)... -> (*)",
                           .definition = {"y = x", "dx = g"},
                           .formula = hooked_output_formula};

}  // namespace

HookedCall::HookedCall(const ModuleHooks& hooks, Tensors inputs)
    : hooks_(hooks.now()), inputs_(std::move(inputs)) {
  for (const auto& [id, hook] : hooks_->before) {
    const Tensors replaced = hook(inputs_);
    SLOPE_CHECK_AS(UsageError, replaced.empty() || replaced.size() == inputs_.size(),
                   "forward pre-hook: gives {} tensors in place of {}", replaced.size(),
                   inputs_.size());
    if (!replaced.empty()) inputs_ = replaced;
  }
  if (hooks_->backward.empty() || !grad_enabled()) return;
  gradients_ = std::make_shared<HookedGradients>(
      HookedGradients{.hooks = hooks_->backward, .inputs = inputs_.size()});
  Tensors xs, ys;  // those that need a gradient, each once, and their views for this call alone
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Tensor& x = inputs_[i];
    if (!x.defined() || !x.requires_grad()) continue;
    const auto k = static_cast<size_t>(
        std::find_if(xs.begin(), xs.end(), [&](const Tensor& other) { return other.is_same(x); }) -
        xs.begin());
    if (k == xs.size()) {
      xs.push_back(x);
      ys.push_back(x.detach());
      gradients_->places.push_back(i);
    }
    x = ys[k];
  }
  if (xs.empty()) return;
  token_ = zeros({0});
  ys.push_back(token_);
  (void)hooked_inputs.record(ys, xs, {{"gradients", std::shared_ptr<void>(gradients_)}});
}

Tensor HookedCall::finish(Tensor y) const {
  for (const auto& [id, hook] : hooks_->after)
    if (Tensor replaced = hook(inputs_, y); replaced.defined()) y = std::move(replaced);
  for (const auto& [id, watcher] : hooks_->watchers) watcher(y);
  if (!gradients_ || !y.requires_grad()) return y;
  Tensors from{y};
  if (token_.defined()) from.push_back(token_);
  // a view: y may be an input, or a tensor that others hold
  return hooked_output.record(Tensors{y.detach()}, from,
                              {{"gradients", std::shared_ptr<void>(gradients_)}})[0];
}

void HookHandle::remove() {
  if (const auto hooks = hooks_.lock()) hooks->remove(id_);
}

namespace {

// The hooks of a module, created with the first one.
std::shared_ptr<ModuleHooks> hooks_of(ModuleRef module, const char* who) {
  const ModuleState* state = module.state();
  SLOPE_CHECK_AS(UsageError, state, "{}: a {} is never called; put the hook on one of its items",
                 who, module.type());
  return state->hooks.made();
}

}  // namespace

HookHandle register_forward_pre_hook(ModuleRef module, ForwardPreHook hook) {
  const auto hooks = hooks_of(module, "register_forward_pre_hook");
  return {hooks, hooks->add(&HookLists::before, std::move(hook))};
}
HookHandle register_forward_hook(ModuleRef module, ForwardHook hook) {
  const auto hooks = hooks_of(module, "register_forward_hook");
  return {hooks, hooks->add(&HookLists::after, std::move(hook))};
}
HookHandle register_full_backward_hook(ModuleRef module, BackwardHook hook) {
  const auto hooks = hooks_of(module, "register_full_backward_hook");
  return {hooks, hooks->add(&HookLists::backward, std::move(hook))};
}
HookHandle watch_calls(ModuleRef module, Watcher watcher) {
  const auto hooks = hooks_of(module, "watch_calls");
  return {hooks, hooks->add(&HookLists::watchers, std::move(watcher))};
}

}  // namespace slope::nn
