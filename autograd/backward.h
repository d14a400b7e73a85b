// Running the graph backwards. Arguments and messages follow PyTorch's where it has them.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <memory>

namespace slope {

struct Node;
struct Pass;

struct BackwardOptions {
  bool retain_graph = false;  // keep saved values, so that the same graph can be run again
  // Record the gradient's own computation (implies retain_graph). After backward() a leaf's
  // Tensor::grad() then holds the graph, and the graph holds the leaf: a reference cycle, which
  // set_grad({}) breaks. slope::grad() makes no such cycle.
  bool create_graph = false;
};

// Adds d outputs / d leaf to every leaf's grad(). An output with one element may have an undefined
// gradient, which means 1. The engine sums gradients over broadcast dims, adds them in a fixed
// order and checks what every rule returns. If anything throws, no leaf's gradient has changed.
void backward(const Tensors& outputs, const Tensors& gradients = {}, BackwardOptions options = {});

struct GradOptions {
  Tensors grad_outputs = {};
  bool retain_graph = false;
  bool create_graph = false;
  bool allow_unused = false;  // else an input that the outputs do not depend on is an error
};

// d outputs / d inputs, summed over outputs. Inputs may be leaves or results; grad() of the leaves
// does not change. The gradient of an unused input is undefined. A returned gradient may be
// expanded or share memory with another: clone() it before writing to it.
[[nodiscard]] Tensors grad(const Tensors& outputs, const Tensors& inputs, GradOptions options = {});

// backward(), a node at a time:
//   BackwardSteps steps({loss});
//   while (const Node* node = steps.next()) …;   // node->op->name has run
// Leaves get their gradients only when next() returns null. While a BackwardSteps lives, no other
// thread can run its graph. Of several on one thread, only the last created can advance, and it
// must end first.
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
