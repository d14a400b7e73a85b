#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

Evaluation evaluate(const std::function<Tensors()>& f) {
  Evaluation result;
  const Observe observe(result.calls);
  result.outputs = f();
  return result;
}

bool is_same_call(const Call& a, const Call& b) {
  const auto same_shapes = [](const Tensors& x, const Tensors& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Tensor& s, const Tensor& t) {
      return s.defined() == t.defined() && (!s.defined() || s.shape() == t.shape());
    });
  };
  return a.op == b.op && !a.node == !b.node && same_shapes(a.inputs, b.inputs) &&
         same_shapes(a.outputs, b.outputs);
}

bool have_same_calls(const Evaluation& a, const Evaluation& b) {
  return std::equal(a.calls.list.begin(), a.calls.list.end(), b.calls.list.begin(),
                    b.calls.list.end(), is_same_call);
}

const char* moving_number(const Node& a, const Node& b) {
  for (size_t i = 0; i < std::min(a.attributes.size(), b.attributes.size()); ++i) {
    const auto* x = std::get_if<double>(&a.attributes[i].value);
    const auto* y = std::get_if<double>(&b.attributes[i].value);
    if (x && y && *x != *y) return a.attributes[i].name;
  }
  return nullptr;
}

void WatchFlow::node_begins(const Node& node, std::span<const Tensor> grads) {
  Flow& flow = nodes[&node];
  flow = {};
  flow.contributed.resize(node.inputs.size());
  for (const Tensor& g : grads) flow.given.push_back(g.defined() ? contiguous_copy(g) : g);
}

void WatchFlow::contributed(const Node& node, size_t input, const Tensor& g) {
  nodes[&node].contributed[input] = contiguous_copy(g);
}

}  // namespace slope
