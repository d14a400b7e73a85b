// clone(model): an independent copy: the same values, modes and ties, no gradients, no hooks. A C++
// struct that cannot be copied must be built anew, so the type says how: by a member `config` that
// its constructor takes, or by a method `Type blank() const` (as the layers here do).
#pragma once

#include <slope/core/tensor/random.h>
#include <slope/nn/module/module_ref.h>

namespace slope::nn {

// From one model into another of the same fields: values and dtypes, modes, requires_grad, ties.
// UsageError where the fields differ.
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
  struct Restore {  // building draws random numbers that nobody asked for
    Generator before = generator();
    ~Restore() { generator() = before; }
  } restore;
  T copy = blank_of(model);
  copy_state(model, copy);
  return copy;
}

}  // namespace slope::nn
