// What a node saves for its derivative, and how the derivative reads it.
#pragma once

#include <slope/autograd/attributes.h>
#include <slope/autograd/grad_target.h>

namespace slope {

struct Node;
struct Pass;

// What a rule returns: one gradient for each input, undefined where the input has none (an index, a
// mask) or needs none, or where a kernel has added it to the sum (GradTarget).
using Grads = InlineVector<Tensor, 3>;

// Which tensors an operation saves: saves_input(0) | saves_input(1), saves_output, …
struct Saves {
  uint32_t inputs = 0;  // bit i: input i; bit 31: input 31 and all after it
  bool outputs = false;
  constexpr bool input(size_t i) const { return inputs >> (i < 31 ? i : 31) & 1; }
  friend constexpr Saves operator|(Saves a, Saves b) {
    return {a.inputs | b.inputs, a.outputs || b.outputs};
  }
};
constexpr Saves saves_nothing{}, saves_inputs{.inputs = ~0u}, saves_output{.outputs = true};
constexpr Saves saves_input(int i = 0) { return {.inputs = 1u << i}; }  // i < 31

// A saved tensor: storage, layout, and the storage's version when it was saved.
struct SavedValue {
  enum class Kind : uint8_t { input, output, extra };
  Storage storage;  // null for an input that its own node recomputes
  Layout layout;
  uint32_t version;
  DType dtype;
  Kind kind;
  uint16_t index;
  bool rounded = false;  // of f32, kept in bf16 (engine/kept.h)
  int64_t bytes() const { return storage ? layout.numel() * size_of(dtype) : 0; }
};
inline SavedValue save(const Tensor& x, SavedValue::Kind kind, size_t index) {
  const Storage& s = x.storage();
  return {s, x.layout(), s->version(), x.dtype(), kind, static_cast<uint16_t>(index)};
}

// A derivative's view of its node. With create_graph, inputs and outputs are connected to the
// graph.
class Saved {
 public:
  Saved(Node& node, const Tensor* grads, bool connected, Pass* pass)
      : node_(node), grads_(grads), connected_(connected), pass_(pass) {}

  // AutogradError if the value was not saved, was freed, or was written to since.
  Tensor input(int i = 0) const { return unpack(SavedValue::Kind::input, i); }
  Tensor output(int i = 0) const { return unpack(SavedValue::Kind::output, i); }
  Tensor extra(int i = 0) const { return unpack(SavedValue::Kind::extra, i); }
  // The same values as the node keeps them, for kernels that read both dtypes: f32 may be in bf16
  // (Op::rounds).
  Tensor kept_input(int i = 0) const { return unpack(SavedValue::Kind::input, i, true); }
  Tensor kept_output(int i = 0) const { return unpack(SavedValue::Kind::output, i, true); }
  bool needs(int i) const;  // whether the gradient of input i is wanted
  // gradient of output i; undefined where none arrived
  const Tensor& grad(int i) const { return grads_[i]; }
  Tensor grad_or_zeros(int i) const;
  // To differentiate a function that is run again and recorded (engine/reference.cpp): each saved
  // input as the root of a new graph (joined to the old one with create_graph), and the gradients
  // of `inputs` from those of `outputs`, grad(i). Undefined where an input requires none or affects
  // no output with a gradient.
  Saved detached_inputs() const;
  Grads gradients_of(const Tensors& outputs, const Tensors& inputs) const;
  Grads through_reference() const;  // of Op::reference
  Tensor leaf(int i) const;         // input i, which is a leaf
  int inputs() const;
  const Dims& input_shape(int i = 0) const;  // saved or not; it must need a gradient

  // Where the gradient of input i goes; new memory is contiguous.
  GradTarget target(int i, const Dims& shape, DType dtype, const TargetOptions& options = {}) const;
  // New memory for the gradients of inputs 0, 1, …: contiguous rows, ordered in memory as in xs. If
  // the xs are slices of one tensor, so are the gradients, and that tensor's gradient needs no
  // copy. Undefined where x is undefined or its gradient is not wanted.
  Tensors targets_like(const Tensors& xs, DType dtype) const;

  int64_t integer(const char* name) const { return std::get<int64_t>(find(name)); }
  double number(const char* name) const { return std::get<double>(find(name)); }
  const Dims& dims(const char* name) const { return std::get<Dims>(find(name)); }
  template <class T>
  T& object(const char* name) const {
    return *static_cast<T*>(std::get<std::shared_ptr<void>>(find(name)).get());
  }

 private:
  const decltype(Attribute::value)& find(const char* name) const;  // AutogradError: not recorded
  Tensor unpack(SavedValue::Kind kind, int i, bool as_kept = false) const;

  Node& node_;
  const Tensor* grads_;
  bool connected_;
  Pass* pass_;
  std::vector<Tensor> roots_;
};

}  // namespace slope
