// Training or evaluation mode, which dropout for example depends on. The mode is a member of each
// module. train(model) and eval(model) (state.h) write it; like writing a weight, this needs a
// model that no other thread uses. EvalMode requests evaluation without writing, so any number of
// threads may use one model under it, whatever the model's own mode.
#pragma once

namespace slope::nn {

namespace detail {
extern constinit thread_local int eval_modes;  // EvalMode guards of this thread
}

// { const EvalMode eval_mode;  … }: until the guard ends, every module on this thread runs in
// evaluation mode. Its own mode does not change.
class [[nodiscard]] EvalMode {
 public:
  EvalMode() { ++detail::eval_modes; }
  ~EvalMode() { --detail::eval_modes; }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;
};

}  // namespace slope::nn
