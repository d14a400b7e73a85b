// One evaluation of a function with all its calls, and each call's gradients in and out.
#pragma once

#include <slope/autograd/gradcheck/watch/calls.h>

#include <functional>
#include <unordered_map>

namespace slope {

struct Evaluation {
  Calls calls;
  Tensors outputs;
};
Evaluation evaluate(const std::function<Tensors()>& f);
// Whether both are the same operation on the same shapes, and have a node or both have none.
bool is_same_call(const Call& a, const Call& b);
bool have_same_calls(const Evaluation& a, const Evaluation& b);
// The name of a numeric attribute that differs between two calls of an operation; null if none.
const char* moving_number(const Node& a, const Node& b);

// For each node in a pass: copies of the gradients of its outputs and of those that it contributed
// to its inputs; undefined where none flows.
struct Flow {
  Tensors given, contributed;
};
class WatchFlow : public Observer {
 public:
  std::unordered_map<const Node*, Flow> nodes;
  void node_begins(const Node& node, std::span<const Tensor> grads) override;
  void contributed(const Node& node, size_t input, const Tensor& g) override;
};

}  // namespace slope
