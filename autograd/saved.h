// What a node saves for its derivative, and how the derivative reads it.
#pragma once

#include <slope/autograd/attributes.h>
#include <slope/autograd/grad_target.h>

namespace slope {

struct Node;
struct Pass;

// What a rule returns: one for each input; undefined where there is none (an index, a mask) or it
// is not needed.
using Grads = InlineVector<Tensor, 3>;

// Which tensors an operation saves: saves_input(0) | saves_input(1), saves_output, …
struct Saves {
  uint32_t inputs = 0;  // bit i: input i; bit 31: all from there on
  bool outputs = false;
  constexpr bool input(size_t i) const { return inputs >> (i < 31 ? i : 31) & 1; }
  friend constexpr Saves operator|(Saves a, Saves b) {
    return {a.inputs | b.inputs, a.outputs || b.outputs};
  }
};
constexpr Saves saves_nothing{}, saves_inputs{.inputs = ~0u}, saves_output{.outputs = true};
constexpr Saves saves_input(int i = 0) { return {.inputs = 1u << i}; }  // i < 31

// A saved tensor: storage and layout, and the version that the storage had.
struct SavedValue {
  enum class Kind : uint8_t { input, output, extra };
  Storage storage;  // null for an input that the node before recomputes
  Layout layout;
  uint32_t version;
  DType dtype;
  Kind kind;
  uint16_t index;
  int64_t bytes() const { return storage ? layout.numel() * size_of(dtype) : 0; }
};
inline SavedValue save(const Tensor& x, SavedValue::Kind kind, size_t index) {
  const Storage& s = x.storage();
  return {s, x.layout(), s->version(), x.dtype(), kind, static_cast<uint16_t>(index)};
}

// The view that a derivative has of its node. Where a graph of the gradient is asked for, inputs
// and outputs are connected to the graph.
class Saved {
 public:
  Saved(Node& node, const Tensor* grads, bool connected, Pass* pass)
      : node_(node), grads_(grads), connected_(connected), pass_(pass) {}

  // AutogradError where it was not saved, was freed, or was written since.
  Tensor input(int i = 0) const;
  Tensor output(int i = 0) const;
  Tensor extra(int i = 0) const;
  bool needs(int i) const;  // whether the gradient of input i is wanted
  // dL/d output i; undefined where nothing flows into it
  const Tensor& grad(int i) const { return grads_[i]; }
  Tensor grad_or_zeros(int i) const;
  bool connected() const { return connected_; }
  // Each saved input as the root of a graph of its own (where connected: joined to the old one).
  Saved detached_inputs() const;
  Tensor leaf(int i) const;  // the leaf that input i is
  int inputs() const;
  const Dims& input_shape(int i = 0) const;  // of an input that needs a gradient, saved or not

  // Where the gradient of input i goes; new memory is contiguous.
  GradTarget target(int i, const Dims& shape, DType dtype, const TargetOptions& options = {}) const;
  // New memory for the gradients of inputs 0, 1, …, laid out as the xs are: where these are slices
  // of one tensor, so are their gradients, and its gradient need not be copied together.
  // Undefined where x is, or its gradient is not needed.
  std::vector<GradTarget> targets_like(const Tensors& xs) const;

  int64_t integer(const char* name) const { return std::get<int64_t>(find(name)); }
  double number(const char* name) const { return std::get<double>(find(name)); }
  const Dims& dims(const char* name) const { return std::get<Dims>(find(name)); }
  template <class T>
  T& object(const char* name) const {
    return *static_cast<T*>(std::get<std::shared_ptr<void>>(find(name)).get());
  }

 private:
  const decltype(Attribute::value)& find(const char* name) const;  // AutogradError: not recorded
  Tensor unpack(SavedValue::Kind kind, int i) const;

  Node& node_;
  const Tensor* grads_;
  bool connected_;
  Pass* pass_;
  std::vector<Tensor> roots_;
};

}  // namespace slope
