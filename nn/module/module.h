// Modules: plain structs with members, a `forward`, and one line that lists type and members. No
// base class, no registration strings.
//
//   struct Linear {
//     Parameter weight;  std::optional<Parameter> bias;
//     Tensor forward(const Tensor& x) const;
//     SLOPE_MODULE(Linear, weight, bias)
//   };
//
// The line defines operator(), which opens the module's Scope (its path, for error messages,
// attention capture and profiles) and calls forward. It also lets the functions of state.h, load.h,
// print.h and clone.h walk the fields: parameters, buffers, modules, and std::optional and
// std::vector of these. A module moves but does not copy. Members that the line does not list are
// ignored. A type may derive from one with a line: if it has a forward or members of its own, it
// needs a line of its own, which replaces the base's, so it lists the base's members too. The
// compiler insists where it meets the type (as a member, for its parameters), but not at model(x),
// which the base's line defines.
#pragma once

#include <slope/nn/module/hooks.h>
#include <slope/nn/module/mode.h>
#include <slope/nn/module/module_ref.h>
#include <slope/nn/module/scope.h>

#include <tuple>

#define SLOPE_MODULE(Type, ...)                                                                   \
  ::slope::nn::ModuleState module_state{};                                                        \
  [[maybe_unused]] friend const Type* slope_module_line(::slope::nn::LineOf<Type>, const Type*) { \
    return {};                                                                                    \
  }                                                                                               \
  static constexpr const char* module_type() { return #Type; }                                    \
  bool training() const { return ::slope::nn::is_training(::slope::nn::state_of(*this), #Type); } \
  void collect_fields(::slope::nn::Fields& fields) const {                                        \
    ::slope::nn::collect(fields, #__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__);                        \
  }                                                                                               \
  template <class... Args>                                                                        \
  auto operator()(Args&&... args) const {                                                         \
    return ::slope::nn::call_forward(*this, static_cast<Args&&>(args)...);                        \
  }                                                                                               \
  template <class... Args>                                                                        \
  auto operator()(Args&&... args) {                                                               \
    return ::slope::nn::call_forward(*this, static_cast<Args&&>(args)...);                        \
  }

namespace slope::nn {

inline bool is_training(const ModuleState& state, const char* type) {
  const bool trains = module_mode.trains(state.training);
  if (trains && detail::mode_watch) [[unlikely]]
    detail::mode_watch->trains(state, type);
  return trains;
}

// Calls forward with what the hooks make of the tensors among its arguments.
template <class M, class... Args>
Tensor call_hooked(M& module, Args&&... args) {
  Tensors inputs;
  const auto keep = [&]<class A>(const A& a) {
    if constexpr (std::is_convertible_v<const A&, const Tensor&>) inputs.push_back(a);
  };
  (keep(args), ...);
  const HookedCall call(*state_of(module).hooks.get(), std::move(inputs));
  size_t next = 0;
  const auto argument = [&]<class A>(A&& a) -> decltype(auto) {
    if constexpr (std::is_convertible_v<const std::remove_cvref_t<A>&, const Tensor&>)
      return (call.inputs()[next++]);
    else
      return static_cast<A&&>(a);
  };
  std::tuple<decltype(argument(static_cast<Args&&>(args)))...> all{
      argument(static_cast<Args&&>(args))...};
  return call.finish(
      std::apply([&]<class... As>(As&&... as) { return module.forward(static_cast<As&&>(as)...); },
                 std::move(all)));
}

template <class M, class... Args>
auto call_forward(M& module, Args&&... args) {
  const Scope scope(module);
  const ModuleState& state = state_of(module);
  if (!state.hooks) [[likely]]
    return module.forward(static_cast<Args&&>(args)...);
  if constexpr (std::is_same_v<decltype(module.forward(static_cast<Args&&>(args)...)), Tensor>) {
    return call_hooked(module, static_cast<Args&&>(args)...);
  } else {
    SLOPE_CHECK_AS(UsageError, !state.hooks.get()->need_a_tensor(),
                   "forward hook: the result of {} is not one tensor; put the hook on a module "
                   "whose forward gives a Tensor",
                   M::module_type());
    return module.forward(static_cast<Args&&>(args)...);
  }
}

}  // namespace slope::nn
