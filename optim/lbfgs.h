// L-BFGS: a quasi-Newton method that keeps the last few changes of parameters and gradients (Liu
// and Nocedal, 1989), as torch.optim.LBFGS. Each step evaluates the loss several times, on the same
// data:
//   optim::LBFGS lbfgs(parameters, {.line_search = optim::LineSearchFn::strong_wolfe});
//   auto closure = [&] { lbfgs.zero_grad();  auto l = f();  l.backward();  return l.item(); };
//   lbfgs.step(closure);
#pragma once

#include <slope/core/tensor/named_tensor.h>
#include <slope/optim/strong_wolfe.h>

#include <deque>
#include <optional>

namespace slope::optim {

enum class LineSearchFn { none, strong_wolfe };

struct LbfgsOptions {
  double lr = 1;
  int64_t max_iter = 20;                 // directions of one step
  std::optional<int64_t> max_eval = {};  // evaluations of one step; none: 5/4 max_iter
  double tolerance_grad = 1e-7;          // a step ends if no |g_i| is larger,
  double tolerance_change = 1e-9;        // or if loss or parameters change by less
  int64_t history_size = 100;
  LineSearchFn line_search = LineSearchFn::none;
};

class LBFGS {
 public:
  // parameters: leaves that require grad, all of one dtype
  explicit LBFGS(const NamedTensors& parameters, LbfgsOptions options = {});
  // `closure` gives the loss and sets all gradients. Returns the loss before the step. If step()
  // throws, parameters and state are as before.
  double step(const std::function<double()>& closure);
  void zero_grad();
  void set_lr_factor(double factor) { factor_ = factor; }
  int64_t evaluations() const { return s_.func_evals; }

  // Under PyTorch's names: lbfgs.n_iter, func_evals, d, t, old_dirs, old_stps, ro, H_diag,
  // prev_flat_grad. Tensors may share the optimizer's memory.
  NamedTensors state_dict() const;
  // InputError, without any change, if a tensor is missing, unexpected or of the wrong shape
  void load_state_dict(const NamedTensors& state);

 private:
  Tensor gradient() const;  // (N), zeros for parameters without one
  Tensor parameters() const;
  void set_parameters(const Tensor& x) const;
  Tensor direction(const Tensor& g);
  double take_step(const std::function<double()>& closure);

  NamedTensors parameters_;
  LbfgsOptions options_;
  int64_t size_ = 0;
  double factor_ = 1;
  struct Change {
    Tensor y, s;  // of the gradient, of the parameters
    double ro;    // 1 / <y, s>
  };
  struct State {
    int64_t n_iter = 0, func_evals = 0;
    double t = 0, H_diag = 1;
    Tensor d, prev_flat_grad;
    std::deque<Change> changes;
  } s_;
};

}  // namespace slope::optim
