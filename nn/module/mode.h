// Training or evaluation: what dropout and its like do. A module's mode is a member of it, written
// by train(model) and eval(model) (state.h): like a write to a weight, only while no other thread
// uses the model. EvalMode asks for evaluation without writing: any number of threads may use one
// model under it, whatever mode the model is in.
#pragma once

namespace slope::nn {

namespace detail {
extern constinit thread_local int eval_modes;  // EvalMode guards of this thread
}

// { const EvalMode eval_mode;  … }: until the guard ends, every module that runs on this thread
// runs as in evaluation. Its own mode stays as it is.
class [[nodiscard]] EvalMode {
 public:
  EvalMode() { ++detail::eval_modes; }
  ~EvalMode() { --detail::eval_modes; }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;
};

}  // namespace slope::nn
