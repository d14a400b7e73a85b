#include <slope/autograd/gradcheck/watch/calls.h>
#include <slope/autograd/gradcheck/watch/forward.h>
#include <slope/core/product/autocast.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

// The first of the tensors that has a value of the same kind as `bad`: nan or infinite.
const Tensor* find_bad(const Tensors& tensors, double bad) {
  const auto has_bad = [&](const Tensor& x) {
    if (!x.defined() || !is_floating(x.dtype())) return false;
    const std::vector<double> values = x.detach().to_vector();
    return std::any_of(values.begin(), values.end(),
                       [&](double v) { return std::isnan(bad) ? std::isnan(v) : std::isinf(v); });
  };
  const auto at = std::find_if(tensors.begin(), tensors.end(), has_bad);
  return at == tensors.end() ? nullptr : &*at;
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
  std::string what = "it", nan_maker;
  for (size_t steps = 0; call && steps < seen.list.size(); ++steps) {
    const Tensor* taken = find_bad(call->inputs, bad);
    if (!taken && std::isnan(bad) && (taken = find_bad(call->inputs, INFINITY))) {
      bad = INFINITY;
      what = "an infinity";
      nan_maker = fmt::format(", and {} makes nan of it", call->place());
    }
    if (!taken) {
      const std::string domain = call->op->definition.domain;
      return fmt::format("{} made {} from finite values{}{}; move the inputs into its domain",
                         call->place(), what,
                         domain.empty() ? "" : fmt::format(" (domain: {})", domain), nan_maker);
    }
    const Call* before = seen.maker_of(*taken);
    if (!before)
      return fmt::format("{} came in as an input of {}{}", what, call->place(), nan_maker);
    call = before;
  }
  return "no operation made it: it is an input, or was written by hand";
}

void SeesRounding::recorded(const Recorded& made) {
  const auto is_rounded = [](const Tensor& x) { return x.defined() && x.dtype() == f32; };
  bool found = false;
  for (const InputRef& x : made.inputs) found |= is_rounded(*x);
  for (const Tensor& y : made.outputs) found |= is_rounded(y);
  if (found && coarsest != bf16) coarsest = autocast_dtype();  // f32 where it is not bf16
}

}  // namespace slope
