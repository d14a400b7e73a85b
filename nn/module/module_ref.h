// ModuleRef: a type-erased reference to a module: its type's name, state and fields. SLOPE_MODULE
// generates what it needs, so that everything that walks a model is an ordinary function in a .cpp
// file. As with Tensor, const is shallow: through a reference to a const model one may switch
// between train and eval and write its tensors.
#pragma once

#include <slope/nn/module/parameter.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

namespace slope::nn {

struct Field;
using Fields = std::vector<Field>;
class ModuleHooks;
struct ScopeName;

// The path at which the last Scope found the module; null after the module was moved, which may
// change it. (Moving a whole std::vector moves none of its modules.)
struct FoundName : std::atomic<const ScopeName*> {
  using atomic::operator=;
  FoundName() noexcept : atomic(nullptr) {}
  FoundName(const FoundName&) noexcept : FoundName() {}
  FoundName& operator=(const FoundName&) noexcept {
    store(nullptr);
    return *this;
  }
};

// A module's hooks, null if there are none: made with the first, while other threads may call the
// module.
class HooksOnce {
 public:
  HooksOnce() = default;
  HooksOnce(const HooksOnce& other) : hooks_(other.hooks_), found_(hooks_.get()) {}
  HooksOnce(HooksOnce&& other) noexcept
      : hooks_(std::move(other.hooks_)), found_(other.found_.exchange(nullptr)) {}
  HooksOnce& operator=(HooksOnce other) noexcept {
    hooks_ = std::move(other.hooks_);
    found_.store(other.found_.exchange(nullptr));
    return *this;
  }
  const ModuleHooks* get() const { return found_.load(std::memory_order_acquire); }
  explicit operator bool() const { return get(); }
  std::shared_ptr<ModuleHooks> made();  // hooks.cpp

 private:
  std::shared_ptr<ModuleHooks> hooks_;
  std::atomic<const ModuleHooks*> found_{nullptr};
};

// What every module has besides its own members; SLOPE_MODULE declares it.
struct ModuleState : NotCopied<ModuleState> {
  mutable bool training = true;
  mutable HooksOnce hooks;
  const char* printed_type = nullptr;  // if print() shows another type name
  mutable FoundName name;
};

struct ModuleKind {
  const char* type;
  const std::type_info& id;
  bool is_list;  // printed like torch.nn.ModuleList: equal neighbours on one line
  void (*fields)(const void* module, Fields& fields);
  const ModuleState* (*state)(const void* module);  // null for a std::vector
  std::string (*extra_repr)(const void* module);
};

template <class T>
concept IsModule = requires(const T& m, Fields& fields) {
  m.collect_fields(fields);
  m.module_state;
  T::module_type();
};
template <class T>
const ModuleKind& kind_of();

// SLOPE_MODULE(Type, …) declares a friend slope_module_line(LineOf<Type>, const Type*), by which
// state_of finds the nearest base of a T that has a line too: a conversion to that is the best.
template <class T>
struct LineOf {};
template <class T>
struct AnyOtherLine {
  template <class Base>
  requires(!std::is_same_v<Base, T>) operator LineOf<Base>() const;
};
void slope_module_line(...);  // no base has a line

// Whether T itself has the line: one of a base does not count, nor members by hand (Sequential).
template <class T>
inline constexpr bool has_own_line =
    !std::is_void_v<decltype(slope_module_line(LineOf<T>(), static_cast<const T*>(nullptr)))>;

// Whether T has a member or a forward that its base lacks (unless forward is overloaded).
template <class T, class Base>
consteval bool extends() {
  if constexpr (requires {
                  decltype (&T::forward)();
                  decltype (&Base::forward)();
                })
    return !std::is_same_v<decltype(&T::forward), decltype(&Base::forward)> ||
           sizeof(T) != sizeof(Base);
  return sizeof(T) != sizeof(Base);
}

// The state of a module. A type with a line and its bases with a line have one state: the
// outermost base's, which the base's methods read.
template <class T>
const ModuleState& state_of(const T& module) {
  static_assert(
      requires { module.module_state; }, "SLOPE_MODULE: the line belongs in the public part");
  static_assert(
      requires { slope_module_line(AnyOtherLine<T>(), &module); },
      "SLOPE_MODULE: only one base may have the line; make the others members");
  using Base = decltype(slope_module_line(AnyOtherLine<T>(), &module));
  if constexpr (std::is_void_v<Base>) {
    return module.module_state;
  } else {
    static_assert(
        has_own_line<T> || !extends<T, std::remove_cvref_t<std::remove_pointer_t<Base>>>(),
        "SLOPE_MODULE: a type that derives from a module has a line of its own, with the base's "
        "members too: by the base's line, a call runs the base's forward");
    return state_of(static_cast<std::remove_pointer_t<Base>&>(module));
  }
}

class ModuleRef;
template <class T>
concept GivesModule = IsModule<T> || std::is_same_v<T, ModuleRef> || requires(const T& x) {
  x.operator ModuleRef();
};

class ModuleRef {
 public:
  template <IsModule T>
  ModuleRef(const T& module) : module_(&module), kind_(&kind_of<T>()) {}
  // Any other struct: the compiler's error says in one line what it lacks.
  template <class T>
  requires(std::is_class_v<T> && !GivesModule<T>) ModuleRef(const T&) {
    static_assert(sizeof(T) == 0,
                  "not a module: a module is a struct with a line SLOPE_MODULE(Type, members…) in "
                  "its public part");
  }
  ModuleRef(const void* module, const ModuleKind& kind) : module_(module), kind_(&kind) {}

  const char* type() const {
    return state() && state()->printed_type ? state()->printed_type : kind_->type;
  }
  const ModuleKind* kind() const { return kind_; }
  bool is_list() const { return kind_->is_list; }
  const ModuleState* state() const { return kind_->state ? kind_->state(module_) : nullptr; }
  std::string extra_repr() const {
    return kind_->extra_repr ? kind_->extra_repr(module_) : std::string();
  }
  Fields fields() const;
  template <class T>
  const T* as() const {  // null if it is another type
    return kind_->id == typeid(T) ? static_cast<const T*>(module_) : nullptr;
  }
  friend bool operator==(const ModuleRef& a, const ModuleRef& b) {
    return a.module_ == b.module_ && a.kind_->id == b.kind_->id;
  }

 private:
  const void* module_;
  const ModuleKind* kind_;
};

// A named member; exactly one of the three is set.
struct Field {
  std::string name;
  Parameter* parameter = nullptr;
  Buffer* buffer = nullptr;
  std::optional<ModuleRef> module = {};
};

inline void add_field(Fields& fields, std::string name, const Parameter& p) {
  fields.push_back({std::move(name), const_cast<Parameter*>(&p)});
}
inline void add_field(Fields& fields, std::string name, const Buffer& b) {
  fields.push_back({std::move(name), nullptr, const_cast<Buffer*>(&b)});
}
inline void add_field(Fields& fields, std::string name, ModuleRef module) {
  fields.push_back({std::move(name), nullptr, nullptr, module});
}
template <IsModule T>
void add_field(Fields& fields, std::string name, const T& module) {
  add_field(fields, std::move(name), ModuleRef(module));
}
// Whether T is or holds a tensor or a module, which must not be left out of the line.
template <class T>
inline constexpr bool holds_state = GivesModule<T> || std::is_base_of_v<Tensor, T>;
template <class T>
inline constexpr bool holds_state<const T> = holds_state<T>;
template <class T>
inline constexpr bool holds_state<T*> = holds_state<T>;
template <class T, size_t n>
inline constexpr bool holds_state<T[n]> = holds_state<T>;
template <class T, size_t n>
inline constexpr bool holds_state<std::array<T, n>> = holds_state<T>;
template <template <class...> class Holder, class... Ts>
requires(!IsModule<Holder<Ts...>>) inline constexpr bool holds_state<Holder<Ts...>> =
    (holds_state<Ts> || ...);

// Any other listed member: the compiler's error says in one line what is allowed.
template <class T>
requires(!std::is_convertible_v<const T&, const Parameter&> &&
         !std::is_convertible_v<const T&, const Buffer&> &&
         !GivesModule<T>) void add_field(Fields&, std::string, const T&) {
  static_assert(
      !std::is_same_v<T, Tensor>,
      "SLOPE_MODULE: a listed tensor is a Parameter, which is trained, or a Buffer, which "
      "is not; make the Tensor one of them");
  static_assert(std::is_same_v<T, Tensor> || !holds_state<T>,
                "SLOPE_MODULE: slope does not look into this type; hold modules and tensors as "
                "members, in a std::optional or std::vector, or in ModuleList, ModuleDict, "
                "ParameterList or ParameterDict");
  static_assert(holds_state<T>,
                "SLOPE_MODULE: a listed member is a Parameter, a Buffer, a module, or a "
                "std::optional or std::vector of these; give a type of your own that holds some a "
                "SLOPE_MODULE line, and leave other members out of the line");
}
template <class T>
void add_field(Fields& fields, std::string name, const std::optional<T>& field) {
  if (field) add_field(fields, std::move(name), *field);
}
template <class T>
void add_items(const void* items, Fields& fields) {
  const auto& list = *static_cast<const std::vector<T>*>(items);
  for (size_t i = 0; i < list.size(); ++i) add_field(fields, std::to_string(i), list[i]);
}
template <class T>
inline const ModuleKind list_kind{"ModuleList", typeid(std::vector<T>), true, add_items<T>, nullptr,
                                  nullptr};
template <class T>
void add_field(Fields& fields, std::string name, const std::vector<T>& list) {
  add_field(fields, std::move(name), ModuleRef(&list, list_kind<T>));
}

// Adds the members, named in order by `names`: "weight, bias".
template <class... Ts>
void collect(Fields& fields, const char* names, const Ts&... members) {
  [[maybe_unused]] const auto next = [&names] {
    while (*names == ' ' || *names == ',') ++names;
    const char* start = names;
    while (*names && *names != ',' && *names != ' ') ++names;
    return std::string(start, names);
  };
  (add_field(fields, next(), members), ...);
}

template <class T>
consteval bool prints_as_list() {
  if constexpr (requires { T::is_list; }) return T::is_list;
  return false;
}
template <class T>
std::string extra_repr_of(const void* module) {
  if constexpr (requires(const T& m) { m.extra_repr(); })
    return static_cast<const T*>(module)->extra_repr();
  return {};
}
template <class T>
const ModuleKind& kind_of() {
  static constexpr ModuleKind kind{
      T::module_type(),
      typeid(T),
      prints_as_list<T>(),
      [](const void* m, Fields& fields) { static_cast<const T*>(m)->collect_fields(fields); },
      [](const void* m) -> const ModuleState* { return &state_of(*static_cast<const T*>(m)); },
      extra_repr_of<T>};
  return kind;
}

inline Fields ModuleRef::fields() const {
  Fields fields;
  kind_->fields(module_, fields);
  return fields;
}

}  // namespace slope::nn
