// Scope: marks that a module's forward is running on this thread. It makes the module's path
// ("encoder.layers.0.self_attn") the current one (core/module_path.h), for error messages,
// attention capture and profiles. operator() opens it. A method that calls submodules but is not
// itself called through operator() (encode, loss, …) opens it in its first line, with
// `nn::Scope scope(*this);`. The path is relative to the outermost module that runs. It is cached
// until the module is moved or is called inside another module; after a whole std::vector was moved
// or swapped, errors and profiles may show its modules' former paths, attention capture does not.
#pragma once

#include <slope/nn/module/module_ref.h>

namespace slope::nn {

class Scope {
 public:
  template <IsModule T>
  explicit Scope(const T& module) : Scope(ModuleRef(module), state_of(module)) {}
  Scope(ModuleRef module, const ModuleState& state);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  // Where the module with this state runs: " in module fc1", or " in Net" if it runs in the
  // outermost module; "" if none runs around it.
  static std::string around(const ModuleState& state);

 private:
  const char* find() const;

  ModuleRef module_;
  const Scope* outer_;
  const char* outer_path_;  // the previous current path
  const char* path_;        // null for an outermost module
};

// Whether `path`, or an end of it that starts after a dot, matches `pattern`, in which * stands for
// any characters: "decoder.layers.*".
bool path_matches(const std::string& path, const std::string& pattern);

}  // namespace slope::nn
