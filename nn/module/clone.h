// clone(model): an independent copy with the same values, modes and ties, but no gradients or
// hooks. Since modules cannot be copied, the type says how to construct another: by a member
// `config` that its constructor takes, or by a method `Type blank() const` (as nn's layers do).
#pragma once

#include <slope/core/tensor/random.h>
#include <slope/nn/module/module_ref.h>

namespace slope::nn {

// Copies values and dtypes, modes, requires_grad and ties from one model into another with the same
// fields and shapes. UsageError if they differ.
void copy_state(ModuleRef from, ModuleRef to);

template <class T>
T blank_of(const T& module) {
  if constexpr (requires { module.blank(); }) {
    return module.blank();
  } else {
    static_assert(
        requires { T(module.config); },
        "clone: give the module a member `config` that its constructor takes, or `Type blank() "
        "const`");
    return T(module.config);
  }
}

template <IsModule T>
[[nodiscard]] T clone(const T& model) {
  const KeepGenerator keep;  // the construction must not advance the caller's random numbers
  T copy = blank_of(model);
  copy_state(model, copy);
  return copy;
}

}  // namespace slope::nn
