// Training or evaluation mode, which dropout for example depends on. The mode is a member of each
// module. train(model) and eval(model) (state.h) write it; like writing a weight, this needs a
// model that no other thread uses. EvalMode requests evaluation without writing, so any number of
// threads may use one model under it, whatever the model's own mode.
#pragma once

#include <slope/core/module_mode.h>

#include <string>
#include <vector>

namespace slope::nn {

class ModuleRef;
struct ModuleState;
class ModeWatch;

namespace detail {
extern constinit thread_local ModeWatch* mode_watch;  // the newest of this thread, or null
}

// { const EvalMode eval_mode;  … }: until the guard ends, every module on this thread runs in
// evaluation mode. Its own mode does not change.
class [[nodiscard]] EvalMode {
 public:
  EvalMode() { ++module_mode.evaluates; }
  ~EvalMode() { --module_mode.evaluates; }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;
};

// Notes the modules that ask for their mode, and are in training mode, on this thread while it
// lives: dropout, for example.
class ModeWatch {
 public:
  ModeWatch() : outer_(detail::mode_watch) { detail::mode_watch = this; }
  ~ModeWatch() { detail::mode_watch = outer_; }
  ModeWatch(const ModeWatch&) = delete;
  ModeWatch& operator=(const ModeWatch&) = delete;
  void trains(const ModuleState& state, const char* type);
  // Those that are no part of `model`, which eval(model) does not reach: "Dropout in module fc1".
  std::vector<std::string> unlisted(ModuleRef model) const;

 private:
  struct Seen {
    const ModuleState* state;
    std::string name;
  };
  std::vector<Seen> seen_;
  ModeWatch* outer_;
};

}  // namespace slope::nn
