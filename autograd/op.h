// Op: a differentiable operation: its name, what its derivative needs of the
// forward, and the derivative.
//
//   static const Op op{.name = "tanh", .signature = "(*) -> (*)", .saves = saves_output,
//                      .formula = [](const Saved& s, const Tensor& g) {
//                        const Tensor y = s.output();
//                        return Grads{g * (1 - y * y)};
//                      }};
//   Tensor tanh(const Tensor& x) { Tensor y = …;  return op.record(y, {x}); }
//
// The formula is written in differentiable operations, so it has derivatives itself. The kernel,
// where there is one, is the same derivative, fast; the engine takes it when no graph of the
// gradient is asked for. A fused operation may give a composite `reference` of its forward instead
// of a formula. A rule captures nothing: all that it may read is declared and kept in the node.
#pragma once

#include <slope/autograd/saved.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

// An input, handed over without taking hold of it: counting references takes longer than much of
// what is done with small tensors. Good for the call that it is made for, not to be kept.
class InputRef {
 public:
  InputRef(const Tensor& x) : tensor_(&x) {}
  const Tensor& operator*() const { return *tensor_; }
  const Tensor* operator->() const { return tensor_; }

 private:
  const Tensor* tensor_;
};

// one for each input; undefined where there is none (an index, a mask) or none is needed
using Grads = InlineVector<Tensor, 3>;

// What `record` keeps for backward: inputs by number, all inputs, outputs. Extras and attributes
// given to `record` are kept always.
constexpr uint32_t saves_nothing = 0, saves_inputs = 1u << 30, saves_output = 1u << 31;
constexpr uint32_t saves_input(int i = 0) { return 1u << i; }  // i < 30

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
  uint32_t saves = saves_nothing;
  // g = dL/dy of the first output; others: s.grad(i)
  Grads (*formula)(const Saved& s, const Tensor& g) = nullptr;
  Grads (*kernel)(const Saved& s, const Tensor& g) = nullptr;
  // the outputs as a composite of differentiable operations on s.input(i)
  Tensors (*reference)(const Saved& s) = nullptr;
  // The only output once more, bit for bit, drawing no new random numbers: for an operation that
  // costs little beside a product. Who uses the output then need not keep it; it is made again when
  // backward first asks for it. It may read input 0, and others that `saves` names; where input 0
  // is neither saved nor to be had from the operation before, the output is kept as ever.
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
