#include <slope/autograd/gradcheck/watch/calls.h>
#include <slope/autograd/gradcheck/watch/forward.h>
#include <slope/core/module_path.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

struct Unrecorded : Observer {
  std::string first;
  void recorded(const Recorded& made) override {
    const auto needs = [](const InputRef& x) { return x->defined() && x->requires_grad(); };
    if (!made.node && first.empty() && std::any_of(made.inputs.begin(), made.inputs.end(), needs))
      first = Call{.op = &made.op, .module = current_module()}.place();
  }
};

// The first value of the same kind as `bad`: nan or infinite.
const double* find_bad(const std::vector<double>& values, double bad) {
  const auto at = std::find_if(values.begin(), values.end(), [&](double v) {
    return std::isnan(bad) ? std::isnan(v) : std::isinf(v);
  });
  return at == values.end() ? nullptr : &*at;
}

}  // namespace

std::string source_of(const std::function<Tensors()>& f, size_t k, double bad) {
  Calls seen;
  Tensor y;
  {
    const Observe observe(seen);
    const Tensors outputs = f();
    if (k >= outputs.size()) return "the function returned fewer outputs this time";
    y = outputs[k];
  }
  const Call* call = seen.maker_of(y);
  for (size_t steps = 0; call && steps < seen.list.size(); ++steps) {
    const Call* before = nullptr;
    const Tensor* taken = nullptr;
    for (const Tensor& x : call->inputs)
      if (x.defined() && is_floating(x.dtype()) && find_bad(x.detach().to_vector(), bad)) {
        taken = &x;
        before = seen.maker_of(x);
        break;
      }
    if (!taken) {
      const std::string domain = call->op->definition.domain;
      return fmt::format("{} made it from finite values{}; move the inputs into its domain",
                         call->place(), domain.empty() ? "" : fmt::format(" (domain: {})", domain));
    }
    if (!before) return fmt::format("it came in as an input of {}", call->place());
    call = before;
  }
  return "no operation made it: it is an input, or was written by hand";
}

void SeesFloat32::recorded(const Recorded& made) {
  const auto is_rounded = [](const Tensor& x) { return x.defined() && x.dtype() == f32; };
  for (const InputRef& x : made.inputs) found |= is_rounded(*x);
  for (const Tensor& y : made.outputs) found |= is_rounded(y);
}

std::string unrecorded(const std::function<Tensors()>& f) {
  Unrecorded seen;
  const Observe observe(seen);
  (void)f();
  return seen.first;
}

}  // namespace slope
