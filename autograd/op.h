// Op: a differentiable operation: its name, what its derivative needs of the forward, and the
// derivative.
//
//   Grads tanh_formula(const Saved& s, const Tensor& g) {
//     const Tensor y = s.output();
//     return {g * (1 - y * y)};
//   }
//   const Op tanh_op{.name = "tanh", .saves = saves_output, .formula = tanh_formula};
//   Tensor tanh(const Tensor& x) { Tensor y = …;  return tanh_op.record(y, {x}); }
//
// The formula is written in differentiable operations, so it has derivatives itself. The kernel is
// the same derivative, fast: the engine takes it where no graph of the gradient is asked for. A
// rule captures nothing: all that it reads is declared, and saved in the node.
#pragma once

#include <slope/autograd/input_ref.h>
#include <slope/autograd/saved.h>

namespace slope {

// What an operation computes, as data: printed by traces, documents and `gradcheck --explain`.
// Written once, at the head of the operation's file, in the letters of its code.
struct Definition {
  const char* forward = "";     // "y = tanh x"
  const char* derivative = "";  // "dx = g (1 - y^2)"; g is dL/dy
  const char* domain = "";      // where it is not all numbers: "x > 0"
};

struct Op {
  const char* name;
  // shapes in letters, `*` for any dims: "(*, n), (n) -> (*, n)"; for readers, and for check()
  const char* signature = "";
  Definition definition = {};
  Saves saves = saves_nothing;  // extras and attributes given to record() are always saved
  // g = dL/dy of the first output; others: s.grad(i)
  Grads (*formula)(const Saved& s, const Tensor& g) = nullptr;
  Grads (*kernel)(const Saved& s, const Tensor& g) = nullptr;
  // In place of a formula, for a fused operation: its outputs as a composite of differentiable
  // operations on s.input(i).
  Tensors (*reference)(const Saved& s) = nullptr;
  // The only output once more, bit for bit, from input 0 and others that `saves` names: for an
  // operation that costs little beside a product. See engine/recompute.h.
  Tensor (*recompute)(const Saved& s) = nullptr;

  // Attaches a node to y where gradients are recorded and an input needs one. Returns y.
  Tensor record(Tensor y, std::initializer_list<InputRef> inputs, Attributes attributes = {},
                Tensors extras = {}) const;
  Tensors record(Tensors outputs, const Tensors& inputs, Attributes attributes = {},
                 Tensors extras = {}) const;

  // Compares the inputs' shapes with the signature: the same letter means the same size. ShapeError
  // names the op, the input and the sizes.
  void check(std::initializer_list<InputRef> inputs) const;
};

}  // namespace slope
