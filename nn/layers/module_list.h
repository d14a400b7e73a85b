// AnyModule: a module whose type is known only at run time. ModuleList: a list of them, like
// torch.nn.ModuleList. If all items have the same type, a std::vector<Block> member does the same
// without the indirection.
#pragma once

#include <slope/nn/module/clone.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

class AnyModule {
 public:
  template <IsModule T>
  AnyModule(T module) : held_(std::make_unique<Holds<T>>(std::move(module))) {}
  AnyModule(AnyModule&& other) noexcept : held_(std::move(other.held_)) { forget_name(); }
  AnyModule& operator=(AnyModule&& other) noexcept {
    held_ = std::move(other.held_);
    forget_name();
    return *this;
  }

  // UsageError unless the module's forward takes one tensor and gives one
  Tensor operator()(const Tensor& x) const { return held_->call(x); }
  operator ModuleRef() const { return held_->ref(); }
  AnyModule blank() const { return held_->blank(); }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual Tensor call(const Tensor& x) const = 0;
    virtual ModuleRef ref() const = 0;
    virtual AnyModule blank() const = 0;
  };
  template <class T>
  struct Holds : Held {
    explicit Holds(T m) : module(std::move(m)) {}
    Tensor call(const Tensor& x) const override {
      if constexpr (requires {
                      { module.forward(x) } -> std::convertible_to<Tensor>;
                    })
        return module(x);
      throw UsageError(
          fmt::format("AnyModule: the forward of {} does not take one tensor and give one; use "
                      "ModuleRef::as<{}>",
                      T::module_type(), T::module_type()));
    }
    ModuleRef ref() const override { return module; }
    AnyModule blank() const override {
      if constexpr (
          requires { module.blank(); } || requires { T(module.config); })
        return AnyModule(blank_of(module));
      throw UsageError(
          fmt::format("clone: {} has neither blank() nor a config that its constructor takes",
                      T::module_type()));
    }
    T module;
  };
  void forget_name() {  // its path has changed, although the module itself has not moved
    if (const ModuleState* state = held_ ? held_->ref().state() : nullptr) state->name = nullptr;
  }
  std::unique_ptr<Held> held_;
};

inline void add_field(Fields& fields, std::string name, const AnyModule& module) {
  add_field(fields, std::move(name), ModuleRef(module));
}

class ModuleList {
 public:
  ModuleList() = default;
  template <class... Ts>
  static ModuleList of(Ts... modules) {
    ModuleList list;
    (list.append(std::move(modules)), ...);
    return list;
  }
  void append(AnyModule module) { items_.push_back(std::move(module)); }

  size_t size() const { return items_.size(); }
  const AnyModule& operator[](size_t i) const { return items_[i]; }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  ModuleList blank() const {
    ModuleList list;
    for (const AnyModule& m : items_) list.append(m.blank());
    return list;
  }

  static constexpr bool is_list = true;
  ModuleState module_state;
  static constexpr const char* module_type() { return "ModuleList"; }
  void collect_fields(Fields& fields) const { add_items<AnyModule>(&items_, fields); }

 private:
  std::vector<AnyModule> items_;
};

}  // namespace slope::nn
