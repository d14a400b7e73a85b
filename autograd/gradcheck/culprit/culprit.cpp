#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/culprit/alone.h>
#include <slope/autograd/gradcheck/culprit/callers.h>
#include <slope/autograd/gradcheck/culprit/culprit.h>
#include <slope/autograd/gradcheck/culprit/defects.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/core/loops/copy.h>
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

// Where f makes the calls with these indices.
std::vector<std::string> origins_of(const std::function<Tensors()>& f,
                                    const std::vector<size_t>& calls) {
  struct Origins : Observer {
    const std::vector<size_t>& calls;
    std::vector<Frames> frames;
    size_t next = 0;
    explicit Origins(const std::vector<size_t>& c) : calls(c), frames(c.size()) {}
    bool sees_contributions() const override { return false; }
    void recorded(const Recorded&) override {
      for (size_t i = 0; i < calls.size(); ++i)
        if (calls[i] == next) frames[i] = frames_of_operation();
      ++next;
    }
  } origins(calls);
  const Observe observe(origins);
  (void)f();
  return callers_of(origins.frames);
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
  if (failing.output >= at.outputs.size()) return {};  // fewer than at the check
  const Tensor& y = at.outputs[failing.output];
  const Tensor& u = failing.u;
  const bool is_as_before = y.defined() && y.shape() == u.shape() && y.dtype() == u.dtype();
  if (!is_as_before || !y.requires_grad()) return {};
  WatchFlow flow;
  WatchBackward undoes;  // takes back what a rule writes into the gradient that it is given
  {
    const Observe outer(flow), inner(undoes);
    (void)grad({y}, tensors_of(leaves),
               {.grad_outputs = {contiguous_copy(failing.u)},
                .retain_graph = true,
                .create_graph = options.formula,
                .allow_unused = true});
  }
  const auto computes_in = [&](DType dtype) {
    return std::any_of(at.calls.list.begin(), at.calls.list.end(), [&](const Call& call) {
      return !call.outputs.empty() && call.outputs[0].dtype() == dtype;
    });
  };
  const double step = computes_in(bf16) ? 0.03 : computes_in(f32) ? 1e-3 : options.eps;
  const std::vector<Defect> defects = find_defects(f, at, flow, failing.directions, step);

  std::vector<GradcheckCulprit> culprits;
  std::vector<const Op*> ops;  // of each culprit
  std::vector<size_t> calls;   // of each culprit
  // The sums of the cuts' errors and of their magnitudes. The first may cancel, as for a detached
  // max in log(sum(exp(x - max))) + max.
  double cut = 0, size_of_cut = 0;
  const auto add_cut = [&](const Defect& defect) {
    cut += defect.size;
    size_of_cut += std::abs(defect.size);
  };
  // One culprit per operation, and one for its cuts unless the operation fails alone too.
  const auto known = [&](const Defect& defect, const Op* op) -> GradcheckCulprit* {
    for (size_t i = 0; i < culprits.size(); ++i)
      if (ops[i] == op && (culprits[i].is_cut == defect.is_cut() ||
                           (defect.is_cut() && !culprits[i].failures.empty())))
        return &culprits[i];
    return nullptr;
  };
  for (const Defect& defect : defects) {
    const Call& call = at.calls.list[defect.call];
    if (GradcheckCulprit* culprit = known(defect, call.op)) {
      ++culprit->calls;
      if (culprit->is_cut) add_cut(defect);
      continue;
    }
    if (culprits.size() == most_culprits) {
      if (defect.is_cut()) add_cut(defect);
      continue;
    }
    GradcheckCulprit culprit{.op = call.op->name, .place = call.place()};
    check_alone(f, at, defect.call, {.options = options, .leaves = leaves}, culprit);
    culprit.is_cut = defect.is_cut() && culprit.failures.empty();
    culprit.cut_input = defect.cut_input;
    culprit.cut_number = defect.cut_number ? defect.cut_number : "";
    if (culprit.is_cut) add_cut(defect);
    ops.push_back(call.op);
    calls.push_back(defect.call);
    culprits.push_back(std::move(culprit));
  }
  if (options.find_callers && !calls.empty()) {
    const std::vector<std::string> origins = origins_of(f, calls);
    for (size_t i = 0; i < culprits.size(); ++i) culprits[i].called_from = origins[i];
  }
  if (std::abs(cut) < 1e-3 * size_of_cut)
    std::erase_if(culprits, [](const GradcheckCulprit& c) { return c.is_cut; });
  return culprits;
}

}  // namespace slope
