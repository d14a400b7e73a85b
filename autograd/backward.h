// Running the graph backwards. Arguments and messages are PyTorch's where it has the thing.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <memory>

namespace slope {

struct Node;
struct Pass;

struct BackwardOptions {
  bool retain_graph = false;  // keep saved values, so that the same graph can be run again
  // Record the gradient's own computation (implies retain_graph). In backward() a leaf's
  // grad() then holds the graph, which holds the leaf: set_grad({}) lets go of them,
  // grad() has no such cycle.
  bool create_graph = false;
};

// Adds d outputs / d leaf to every leaf's grad(). A gradient may be undefined where its output has
// one element.
// The engine: sums gradients back over broadcast dims, adds in a fixed order, checks what every
// rule returns; if anything throws, no leaf's gradient has changed.
void backward(const Tensors& outputs, const Tensors& gradients = {}, BackwardOptions options = {});

struct GradOptions {
  Tensors grad_outputs = {};
  bool retain_graph = false;
  bool create_graph = false;
  bool allow_unused = false;  // else an input that the outputs do not depend on is an error
};

// d outputs / d inputs, summed over outputs; leaves' grad() stay as they are. Inputs may be leaves
// or results. Undefined where unused. What it gives may be expanded, and several may share one
// memory: clone() before writing to it.
[[nodiscard]] Tensors grad(const Tensors& outputs, const Tensors& inputs, GradOptions options = {});

// backward(), a node at a time:
//   BackwardSteps steps({loss});
//   while (const Node* node = steps.next()) …;   // node->op->name has run
// Leaves get their gradients when next() gives null; where it is not called so often, none. While
// it lives no other thread can run the graph. Steps that overlap end in reverse order.
class BackwardSteps {
 public:
  explicit BackwardSteps(const Tensors& outputs, const Tensors& gradients = {},
                         BackwardOptions options = {});
  ~BackwardSteps();
  const Node* next();  // valid while the outputs live

 private:
  std::unique_ptr<Pass> pass_;
};

}  // namespace slope
