// What a node keeps for its derivative, and how the derivative reads it.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <memory>
#include <string>
#include <variant>

namespace slope {

struct Node;
struct Pass;

// A plain value kept with a node, by name: visible to graph export, unlike a captured variable.
struct Attribute {
  const char* name;
  std::variant<int64_t, double, Dims, std::string, std::shared_ptr<void>> value;
};
using Attributes = std::vector<Attribute>;

// A value kept for backward: storage and layout, and the version that the storage had.
struct SavedValue {
  enum class Kind : uint8_t { input, output, extra };
  Storage storage;  // null for an input that the operation before makes again
  Layout layout;
  uint32_t version;
  DType dtype;
  Kind kind;
  uint16_t index;
};

// The view that a derivative has of its node. With a graph of the gradient asked for, inputs and
// outputs come connected to the tape.
class Saved {
 public:
  Saved(Node& node, const Tensor* grads, bool connected, Pass* pass)
      : node_(node), grads_(grads), connected_(connected), pass_(pass) {}

  // AutogradError where it was not saved, was freed, or was written since. That goes too for what
  // Op::recompute reads to make it.
  Tensor input(int i = 0) const;
  Tensor output(int i = 0) const;
  Tensor extra(int i = 0) const;
  bool needs(int i) const;  // whether the gradient of input i is wanted
  // dL/d output i; undefined where nothing flows into it
  const Tensor& grad(int i) const { return grads_[i]; }
  Tensor grad_or_zeros(int i) const;
  // What this pass has summed of input i's gradient, for a kernel that adds to it and returns
  // nothing for i. Undefined where there is nothing yet, or where others hold it.
  Tensor sum_so_far(int i) const;
  // dL/d output 0 where nobody else holds it: a kernel may write its result
  // over it. Else undefined.
  Tensor grad_to_overwrite() const;
  // the node's values go when its derivative has run: an extra may be turned into the result
  bool is_last_use() const;
  bool connected() const { return connected_; }
  // the same, but each saved input is the root of a new recording (connected:
  // joined to the old one)
  Saved rooted() const;
  Tensor leaf(int i) const;  // the leaf that input i is
  int inputs() const;
  const Dims& output_shape(int i = 0) const;
  // of an input that needs a gradient; nothing has to be saved for it
  const Dims& input_shape(int i = 0) const;

  int64_t integer(const char* name) const { return std::get<int64_t>(find(name)); }
  double number(const char* name) const { return std::get<double>(find(name)); }
  const Dims& dims(const char* name) const { return std::get<Dims>(find(name)); }
  const std::string& text(const char* name) const { return std::get<std::string>(find(name)); }
  template <class T>
  T& object(const char* name) const {
    return *static_cast<T*>(std::get<std::shared_ptr<void>>(find(name)).get());
  }

 private:
  const decltype(Attribute::value)& find(const char* name) const;
  Tensor unpack(SavedValue::Kind kind, int i) const;
  Tensor output_saved_or_recomputed() const;
  Tensor recomputed_by_the_node_before(int i) const;  // input i

  Node& node_;
  const Tensor* grads_;
  bool connected_;
  Pass* pass_;
  std::vector<Tensor> roots_;
};

}  // namespace slope
