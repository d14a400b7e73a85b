#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/culprit/alone.h>
#include <slope/autograd/gradcheck/culprit/callers.h>
#include <slope/autograd/gradcheck/culprit/culprit.h>
#include <slope/autograd/gradcheck/culprit/defects.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

constexpr size_t most_culprits = 4;

Tensors tensors_of(const NamedTensors& leaves) {
  Tensors result;
  for (const NamedTensor& leaf : leaves) result.push_back(leaf.tensor);
  return result;
}

// Where call number `call` of f was made.
std::string origin_of(const std::function<Tensors()>& f, size_t call) {
  struct Origin : Observer {
    size_t left;
    std::string text;
    bool sees_contributions() const override { return false; }
    void recorded(const Recorded&) override {
      if (left-- == 0) text = callers_of_operation();
    }
  } origin;
  origin.left = call;
  const Observe observe(origin);
  (void)f();
  return origin.text;
}

}  // namespace

Failing failing_elements(const NamedTensors& leaves, const std::vector<Tensor>& cotangents,
                         const GradcheckReport& report) {
  const auto first = std::find_if(report.leaves.begin(), report.leaves.end(),
                                  [](const GradcheckLeaf& leaf) { return leaf.failed > 0; });
  const auto k = static_cast<size_t>(first->output);
  Failing failing{.output = k, .u = cotangents[k], .directions = {}};
  for (size_t i = 0; i < leaves.size(); ++i) {
    const GradcheckLeaf& leaf = report.leaves[i];
    if (leaf.wrong.empty() || leaf.output != first->output) continue;
    const Tensor& x = leaves[i].tensor;
    const std::vector<double> random = random_cotangent(x.shape(), f64, 11, i).to_vector();
    std::vector<double> v(random.size());
    for (const int64_t e : leaf.wrong) v[static_cast<size_t>(e)] = random[static_cast<size_t>(e)];
    failing.directions.push_back({x, from_vector(v, x.shape())});
  }
  return failing;
}

std::vector<GradcheckCulprit> find_culprits(const std::function<Tensors()>& f,
                                            const NamedTensors& leaves, const Failing& failing,
                                            const GradcheckOptions& options) {
  const Evaluation at = evaluate(f);
  const Tensor& y = at.outputs[failing.output];
  if (!y.requires_grad()) return {};
  WatchFlow flow;
  {
    const Observe observe(flow);
    (void)grad({y}, tensors_of(leaves),
               {.grad_outputs = {failing.u},
                .retain_graph = true,
                .create_graph = options.formula,
                .allow_unused = true});
  }
  const double step = y.dtype() == f32 ? 1e-3 : options.eps;
  const std::vector<Defect> defects = find_defects(f, at, flow, failing.directions, step);

  std::vector<GradcheckCulprit> culprits;
  std::vector<const Op*> ops;       // one culprit per operation
  double cut = 0, size_of_cut = 0;  // cuts may cancel: log(sum(exp(x - max))) + max
  for (const Defect& defect : defects) {
    const Call& call = at.calls.list[defect.call];
    if (const auto known = std::find(ops.begin(), ops.end(), call.op); known != ops.end()) {
      GradcheckCulprit& culprit = culprits[static_cast<size_t>(known - ops.begin())];
      if (culprit.is_cut == (defect.cut_input >= 0)) {
        ++culprit.calls;
        if (culprit.is_cut) cut += defect.size, size_of_cut += std::abs(defect.size);
        continue;
      }
    }
    if (culprits.size() == most_culprits) continue;
    GradcheckCulprit culprit{.op = call.op->name, .place = call.place()};
    check_alone(f, at, defect.call, {.options = options, .leaves = leaves}, culprit);
    culprit.is_cut = defect.cut_input >= 0 && culprit.failures.empty();
    culprit.cut_input = defect.cut_input;
    if (culprit.is_cut) cut += defect.size, size_of_cut += std::abs(defect.size);
    if (options.find_callers) culprit.called_from = origin_of(f, defect.call);
    ops.push_back(call.op);
    culprits.push_back(std::move(culprit));
  }
  if (std::abs(cut) < 1e-3 * size_of_cut)
    std::erase_if(culprits, [](const GradcheckCulprit& c) { return c.is_cut; });
  return culprits;
}

}  // namespace slope
