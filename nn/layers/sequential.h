// Sequential: modules of known types, called one after the other: Sequential net(Linear(2, 16),
// ReLU(), Linear(16, 1)). The first may take any arguments. net.get<0>() returns it.
#pragma once

#include <slope/nn/module/clone.h>
#include <slope/nn/module/module.h>

#include <tuple>

namespace slope::nn {

template <class... Modules>
class Sequential {
 public:
  explicit Sequential(Modules... modules) : modules_(std::move(modules)...) {}

  template <class... Args>
  auto forward(Args&&... args) const {
    if constexpr (sizeof...(Modules) == 0) {
      return Tensor(static_cast<Args&&>(args)...);
    } else {
      return run<1>(std::get<0>(modules_)(static_cast<Args&&>(args)...));
    }
  }
  template <class... Args>
  auto operator()(Args&&... args) const {
    return call_forward(*this, static_cast<Args&&>(args)...);
  }
  template <size_t i>
  auto& get() {
    return std::get<i>(modules_);
  }
  template <size_t i>
  const auto& get() const {
    return std::get<i>(modules_);
  }
  Sequential blank() const {
    return std::apply([](const auto&... m) { return Sequential(blank_of(m)...); }, modules_);
  }

  ModuleState module_state;
  static constexpr const char* module_type() { return "Sequential"; }
  void collect_fields(Fields& fields) const {
    std::apply(
        [&, i = 0](const auto&... m) mutable { (add_field(fields, std::to_string(i++), m), ...); },
        modules_);
  }

 private:
  template <size_t i, class X>
  auto run(X x) const {
    if constexpr (i == sizeof...(Modules)) {
      return x;
    } else {
      return run<i + 1>(std::get<i>(modules_)(x));
    }
  }
  std::tuple<Modules...> modules_;
};

}  // namespace slope::nn
