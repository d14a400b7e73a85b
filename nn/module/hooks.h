// Forward hooks: functions that see a module's inputs and output each time it is called, and may
// replace the output.
//   auto handle = nn::register_forward_hook(
//       model.encoder, [&](const Tensors& inputs, const Tensor& y) {
//         seen = y.detach();
//         return Tensor();  // undefined: the output stays
//       });
#pragma once

#include <slope/nn/module/module_ref.h>

#include <functional>

namespace slope::nn {

// Inputs: the arguments that are tensors. An undefined result keeps the output.
using ForwardHook = std::function<Tensor(const Tensors& inputs, const Tensor& output)>;

class ForwardHooks {
 public:
  Tensor run(const Tensors& inputs, Tensor output) const;
  int add(ForwardHook hook);
  void remove(int id);

 private:
  std::vector<std::pair<int, ForwardHook>> hooks_;
  int next_ = 0;
};

// Removes its hook when told to; may outlive the module.
class HookHandle {
 public:
  HookHandle(std::weak_ptr<ForwardHooks> hooks, int id) : hooks_(std::move(hooks)), id_(id) {}
  void remove();

 private:
  std::weak_ptr<ForwardHooks> hooks_;
  int id_;
};

// For modules whose forward gives one Tensor; others say so when they are called (UsageError).
HookHandle register_forward_hook(ModuleRef module, ForwardHook hook);

}  // namespace slope::nn
