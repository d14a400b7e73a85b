#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/watch/calls.h>
#include <slope/autograd/gradcheck/watch/cut.h>
#include <slope/core/module_path.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>
#include <set>

namespace slope {

namespace {

// For each rule that ran, the inputs for which it returned something.
struct Returned : Observer {
  struct Run {
    const Node* node;
    std::vector<bool> given;
  };
  std::vector<Run> runs;

  void node_begins(const Node& node, std::span<const Tensor>) override {
    runs.push_back({&node, std::vector<bool>(node.inputs.size())});
  }
  void returned(const Node& node, size_t input, const Tensor& g) override {
    for (Run& run : runs)
      if (run.node == &node) run.given[input] = g.defined();
  }
};

bool leads_to(const Edge& edge, const Tensor& leaf) {
  std::vector<const Edge*> left{&edge};
  std::set<const Node*> seen;
  while (!left.empty()) {
    const Edge& e = *left.back();
    left.pop_back();
    if (e.leaf && e.leaf.get() == &leaf.impl()) return true;
    if (!e.node || !seen.insert(e.node.get()).second) continue;
    for (const Edge& input : e.node->inputs) left.push_back(&input);
  }
  return false;
}

// "the rule of scores returns no gradient for its input 1": the first on the way from the outputs
// to the leaf; "" if no rule is to blame.
std::string withheld(const Tensors& outputs, const Tensor& leaf) {
  for (const Tensor& y : outputs) {
    if (!y.requires_grad()) continue;
    Returned seen;
    const Observe observe(seen);
    (void)grad({y}, {leaf},
               {.grad_outputs = {ones_like(y)}, .retain_graph = true, .allow_unused = true});
    for (const auto& [node, given] : seen.runs)
      for (size_t i = 0; i < given.size(); ++i)
        if (!given[i] && leads_to(node->inputs[i], leaf))
          return fmt::format("the rule of {} returns no gradient for its input {}",
                             place(*node->op, node->module), i);
  }
  return "";
}

struct Unrecorded : Observer {
  std::string first;
  void recorded(const Recorded& made) override {
    const auto needs = [](const InputRef& x) { return x->defined() && x->requires_grad(); };
    if (!made.node && first.empty() && std::any_of(made.inputs.begin(), made.inputs.end(), needs))
      first = place(made.op, current_module());
  }
};

// The operation that took a tensor with requires_grad but was not recorded, because gradients are
// off there (NoGrad): "mul in module encoder". Empty if there is none.
std::string unrecorded(const std::function<Tensors()>& f) {
  Unrecorded seen;
  const Observe observe(seen);
  (void)f();
  return seen.first;
}

}  // namespace

std::string where_cut(const std::function<Tensors()>& f, const Tensor& leaf) {
  if (std::string rule = withheld(f(), leaf); !rule.empty()) return rule;
  const std::string op = unrecorded(f);
  return op.empty() ? "look for detach(), item() or data<T>() on the way"
                    : op + " runs without gradients (NoGrad)";
}

}  // namespace slope
