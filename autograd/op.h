// Op: a differentiable operation: its name, its derivative, and what the derivative needs from the
// forward.
//
//   Grads tanh_formula(const Saved& s, const Tensor& g) {
//     const Tensor y = s.output();
//     return {g * (1 - y * y)};
//   }
//   const Op tanh_op{.name = "tanh", .saves = saves_output, .formula = tanh_formula};
//   Tensor tanh(const Tensor& x) { Tensor y = …;  return tanh_op.record(y, {x}); }
//
// The formula consists of differentiable operations, so it can be differentiated again. The kernel
// computes the same derivative faster; the engine uses it unless create_graph is set. A rule (a
// formula, kernel or reference) captures nothing: all that it reads is declared and saved in the
// node.
#pragma once

#include <slope/autograd/input_ref.h>
#include <slope/autograd/saved.h>

namespace slope {

// What an operation computes, as text for traces, documents and `gradcheck --explain`. Written
// once, at the head of the operation's file, with the variable names of its code.
struct Definition {
  const char* forward = "";     // "y = tanh x"
  const char* derivative = "";  // "dx = g (1 - y^2)"; g is dL/dy
  const char* domain = "";      // empty for all numbers; else e.g. "x > 0"
};

struct Op {
  const char* name;
  // shapes: "(*, n), (n) -> (*, n)", where `*` is any dims; for readers and for check()
  const char* signature = "";
  Definition definition = {};
  Saves saves = saves_nothing;  // extras and attributes given to record() are always saved
  // saved values that may be kept in bf16 under Autocast(bf16): operands of products, and those
  // where an error of 0.4 % does not matter to the derivative
  Saves rounds = saves_nothing;
  // g is dL/dy of the first output; s.grad(i) is that of output i
  Grads (*formula)(const Saved& s, const Tensor& g) = nullptr;
  Grads (*kernel)(const Saved& s, const Tensor& g) = nullptr;
  // Replaces the formula of a fused operation: computes its outputs from s.input(i) with
  // differentiable operations.
  Tensors (*reference)(const Saved& s) = nullptr;
  // Recomputes the only output, bit for bit (except where inputs were rounded), from input 0 and
  // what `saves` names. For operations that are cheap beside a matrix product (engine/kept.h).
  Tensor (*recompute)(const Saved& s) = nullptr;

  // Attaches a node to y if recording is on and an input needs a gradient. Returns y.
  Tensor record(Tensor y, std::initializer_list<InputRef> inputs, Attributes attributes = {},
                Tensors extras = {}) const;
  Tensors record(Tensors outputs, const Tensors& inputs, Attributes attributes = {},
                 Tensors extras = {}) const;

  // Compares the inputs' shapes with the signature: a letter stands for one size. The ShapeError
  // names the op, the input and the sizes.
  void check(std::initializer_list<InputRef> inputs) const;
};

}  // namespace slope
