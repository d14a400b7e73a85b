// dead = { p : max |dL/dp| <= tolerance * max_q max |dL/dq| }, p, q leaves of L
// A bias that shifts all scores of a softmax alike (the keys' bias), or all values that a norm then
// centres, is dead although its weight is not.
#include <slope/autograd/backward.h>
#include <slope/autograd/graph/walk.h>
#include <slope/nn/lint/lint.h>
#include <slope/nn/module/state.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace slope::nn::lint {

namespace {

// nan if any element is: such a gradient says nothing
double largest(const Tensor& g) {
  double most = 0;
  for (const double v : g.to_vector()) {
    if (std::isnan(v)) return v;
    most = std::max(most, std::abs(v));
  }
  return most;
}

}  // namespace

Findings dead_gradients(ModuleRef model, const Tensor& loss) {
  NamedTensors parameters = named_parameters(model);
  std::erase_if(parameters, [](const NamedTensor& p) { return !p.tensor.requires_grad(); });
  Tensors all;
  for (const NamedTensor& p : parameters) all.push_back(p.tensor);
  const Tensors grads = grad({loss}, all, {.allow_unused = true});
  std::map<std::string, double> size;
  double most = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const double size_of = grads[i].defined() ? largest(grads[i]) : NAN;
    if (std::isfinite(size_of)) most = std::max(most, size[parameters[i].name] = size_of);
  }
  Findings found;
  for (const auto& [name, p] : parameters) {
    if (!size.contains(name) || size[name] > tolerance(p.dtype()) * most) continue;
    Finding finding{"dead-gradient",
                    fmt::format("{} {} has the gradient 0 (at most {:.1g}), others up to {:.1g}",
                                name, p.shape(), size[name], most),
                    ""};
    if (name.ends_with("bias")) {
      const std::string weight = name.substr(0, name.size() - 4) + "weight";
      if (size.contains(weight) && size[weight] > tolerance(p.dtype()) * most)
        finding.reason = fmt::format(
            "{} has one: a later softmax or norm cancels what is added "
            "to all elements alike, such as the bias of keys",
            weight);
    }
    found.push_back(finding);
  }
  return found;
}

}  // namespace slope::nn::lint
