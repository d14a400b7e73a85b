// Hooks: functions that see a module's inputs before each call, its output after it, or the
// gradients of both, and may replace them.
//   auto handle = nn::register_forward_hook(
//       model.encoder, [&](const Tensors& inputs, const Tensor& y) {
//         seen = y.detach();
//         return Tensor();  // undefined: the output stays
//       });
#pragma once

#include <slope/nn/module/module_ref.h>

#include <functional>
#include <memory>

namespace slope::nn {

// The inputs are the arguments that are tensors. An undefined result keeps the output.
using ForwardHook = std::function<Tensor(const Tensors& inputs, const Tensor& output)>;
// An empty result keeps the inputs.
using ForwardPreHook = std::function<Tensors(const Tensors& inputs)>;
// The gradients of the loss with respect to this call's inputs (undefined where not needed) and its
// output. A defined result replaces the gradient of the only input that needs one; UsageError if
// several do. Called once in each pass that goes through the output to an input, with zeros for an
// input that no gradient reached; if no input needs a gradient, as soon as the output's is known.
using BackwardHook = std::function<Tensor(const Tensors& grad_inputs, const Tensor& grad_output)>;
// Sees the output of each call that gives one tensor; other calls are ignored.
using Watcher = std::function<void(const Tensor& output)>;

template <class Hook>
using HookList = std::vector<std::pair<int, Hook>>;

struct HookLists {
  HookList<ForwardPreHook> before;
  HookList<ForwardHook> after;
  HookList<BackwardHook> backward;
  HookList<Watcher> watchers;
};

struct HookedGradients;

// Lists that never change: a change makes others. So threads, and hooks themselves, may add and
// remove hooks while a call runs; the call has those of its beginning.
class ModuleHooks {
 public:
  template <class Hook>
  int add(HookList<Hook> HookLists::*list, Hook hook);
  void remove(int id);
  std::shared_ptr<const HookLists> now() const;
  // whether a hook requires that forward returns one Tensor, as all but watchers do
  bool need_a_tensor() const;

 private:
  std::shared_ptr<const HookLists> lists_ = std::make_shared<HookLists>();
  int next_ = 0;
};

// One call of a module with hooks: forward gets inputs() in place of the tensors among its
// arguments, and the call returns what finish() gives.
class HookedCall {
 public:
  HookedCall(const ModuleHooks& hooks, Tensors inputs);
  const Tensors& inputs() const { return inputs_; }
  Tensor finish(Tensor output) const;

 private:
  std::shared_ptr<const HookLists> hooks_;
  Tensors inputs_;
  std::shared_ptr<HookedGradients> gradients_;  // null without backward hooks or a tape
  // Empty; made with the inputs and used with the output, so that a pass that reaches the output
  // reaches the inputs too, even if the module does not use them.
  Tensor token_;
};

// remove() removes the hook; the handle may outlive the module.
class HookHandle {
 public:
  HookHandle(std::weak_ptr<ModuleHooks> hooks, int id) : hooks_(std::move(hooks)), id_(id) {}
  void remove();

 private:
  std::weak_ptr<ModuleHooks> hooks_;
  int id_;
};

// Except for watchers, hooks require that the module's forward returns one Tensor; otherwise a call
// is a UsageError.
HookHandle register_forward_pre_hook(ModuleRef module, ForwardPreHook hook);
HookHandle register_forward_hook(ModuleRef module, ForwardHook hook);
HookHandle register_full_backward_hook(ModuleRef module, BackwardHook hook);
HookHandle watch_calls(ModuleRef module, Watcher watcher);

}  // namespace slope::nn
