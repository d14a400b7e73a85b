// Forward hooks: functions that get a module's inputs and output at each call and may replace the
// output.
//   auto handle = nn::register_forward_hook(
//       model.encoder, [&](const Tensors& inputs, const Tensor& y) {
//         seen = y.detach();
//         return Tensor();  // undefined: the output stays
//       });
#pragma once

#include <slope/nn/module/module_ref.h>

#include <functional>

namespace slope::nn {

// The inputs are the arguments that are tensors. An undefined result keeps the output.
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

// remove() removes the hook; the handle may outlive the module.
class HookHandle {
 public:
  HookHandle(std::weak_ptr<ForwardHooks> hooks, int id) : hooks_(std::move(hooks)), id_(id) {}
  void remove();

 private:
  std::weak_ptr<ForwardHooks> hooks_;
  int id_;
};

// For modules whose forward returns one Tensor; a call of any other is a UsageError.
HookHandle register_forward_hook(ModuleRef module, ForwardHook hook);

}  // namespace slope::nn
