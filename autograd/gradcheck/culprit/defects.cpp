#include <slope/autograd/gradcheck/culprit/defects.h>
#include <slope/autograd/gradcheck/numeric/poke.h>
#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace slope {

namespace {

// Evaluates the function with the leaves moved along their directions.
Evaluation evaluate_moved(const std::function<Tensors()>& f,
                          const std::vector<Direction>& directions, double step) {
  std::vector<std::unique_ptr<Poke>> moved;
  for (const Direction& d : directions) {
    std::vector<double> x = d.leaf.detach().to_vector();
    const std::vector<double> v = d.v.to_vector();
    for (size_t e = 0; e < x.size(); ++e) x[e] += step * v[e];
    moved.push_back(std::make_unique<Poke>(d.leaf, x));
  }
  Evaluation result = evaluate(f);
  const auto keep = [&](Tensor& x) {  // copies views of a leaf, which is about to move back
    for (const Direction& d : directions)
      if (x.defined() && x.storage() == d.leaf.storage()) {
        x = contiguous_copy(x.detach());
        return;
      }
  };
  for (Call& call : result.calls.list) {
    std::for_each(call.inputs.begin(), call.inputs.end(), keep);
    std::for_each(call.outputs.begin(), call.outputs.end(), keep);
  }
  return result;
}

// <g, (above - below) / (2 step)>, and a bound on its rounding error.
struct Product {
  double value = 0, noise = 0;
};
Product along(const Tensor& g, const Tensor& above, const Tensor& below, double step) {
  Product result;
  const std::vector<double> w = g.to_vector(), a = above.detach().to_vector(),
                            b = below.detach().to_vector();
  const double digit = above.dtype() == bf16 ? 0x1p-8 : above.dtype() == f32 ? 1e-7 : 2e-16;
  for (size_t i = 0; i < w.size(); ++i) {
    if (!std::isfinite(a[i]) && a[i] == b[i]) continue;  // an infinity that does not move
    result.value += w[i] * (a[i] - b[i]) / (2 * step);
    result.noise += std::abs(w[i] * a[i]) * digit / step;
  }
  return result;
}

bool moves(const Tensor& above, const Tensor& below) {
  return is_floating(above.dtype()) && first_difference(above, below).has_value();
}

bool is_finite(const Tensor& x) {
  if (!x.defined()) return true;
  const std::vector<double> values = x.to_vector();
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

std::vector<Defect> find_defects(const std::function<Tensors()>& f, const Evaluation& at,
                                 const WatchFlow& flow, const std::vector<Direction>& directions,
                                 double step) {
  const Evaluation above = evaluate_moved(f, directions, step),
                   below = evaluate_moved(f, directions, -step);
  if (!have_same_calls(at, above) || !have_same_calls(at, below)) return {};

  std::vector<Defect> found;
  double largest = 0;
  for (size_t n = 0; n < at.calls.list.size(); ++n) {
    const Call &call = at.calls.list[n], &up = above.calls.list[n], &down = below.calls.list[n];
    const auto run = call.node ? flow.nodes.find(call.node) : flow.nodes.end();
    if (run == flow.nodes.end()) continue;
    const auto& [given, contributed] = run->second;
    Defect defect{.call = n, .size = 0};
    double noise = 0, scale = 0;
    const auto add = [&](double sign, const Product& p) {
      defect.size += sign * p.value;
      noise += p.noise;
      scale += std::abs(p.value);
    };
    const auto all_finite = [](const Tensors& gs) {
      return std::all_of(gs.begin(), gs.end(), is_finite);
    };
    if (!all_finite(given)) continue;
    for (size_t k = 0; k < given.size(); ++k)
      if (given[k].defined()) add(1, along(given[k], up.outputs[k], down.outputs[k], step));
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      if (!call.inputs[i].defined()) continue;
      if (!call.node->inputs[i] && moves(up.inputs[i], down.inputs[i]))
        defect.cut_input = static_cast<int64_t>(i);
      if (contributed[i].defined())
        add(-1, along(contributed[i], up.inputs[i], down.inputs[i], step));
    }
    defect.cut_number = moving_number(*up.node, *down.node);
    if (!all_finite(contributed))
      defect.size = INFINITY;
    else if (!std::isfinite(defect.size) || std::abs(defect.size) <= 1e-6 * scale + 4 * noise)
      continue;
    largest = std::max(largest, std::abs(defect.size));
    found.push_back(defect);
  }
  std::erase_if(found, [&](const Defect& d) { return std::abs(d.size) < 0.02 * largest; });
  std::stable_sort(found.begin(), found.end(), [](const Defect& a, const Defect& b) {
    return std::abs(a.size) > std::abs(b.size);
  });
  return found;
}

}  // namespace slope
