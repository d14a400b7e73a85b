// Pass: one run of backward over the graph that its outputs reach. Private to autograd.
#pragma once

#include <slope/autograd/backward.h>
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/observer.h>

#include <array>
#include <memory_resource>
#include <unordered_map>

namespace slope {

struct Pass {
  explicit Pass(BackwardOptions options);
  ~Pass();  // releases the nodes

  // backward.cpp. With `inputs`, only their gradients are computed, and no leaf's grad() changes.
  void begin(const Tensors& outputs, const Tensors& gradients, const Tensors* inputs = nullptr);
  const Node* next();         // runs the rule of the next node with a gradient; null at the end
  bool is_innermost() const;  // on this thread
  // capture.cpp
  Tensors gradients_of(const Tensors& outputs, const Tensors& gradients, const Tensors& inputs);
  bool wants(const Edge& x) const;
  // Whether a rule runs this pass inside another pass. Then this one stops at the captured tensors
  // and runs no leaf hooks; the outer pass goes on from these tensors and runs the hooks.
  bool is_within = false;

 private:
  friend class Saved;  // its target() is in gradient_memory.cpp
  template <class T>
  using List = std::pmr::vector<T>;
  struct Visit {
    Node* node;
    Pass* outer;  // the pass that held the node before (or null), and the node's slot in it
    uint32_t outer_slot;
  };
  struct Leaf {
    Ref<TensorImpl> tensor;
    GradSlot* slot;
    Tensor* sum;  // in sums_
  };
  // collect.cpp: takes the nodes reachable from the outputs; returns dL/dL of each output
  List<Tensor> collect(const Tensors& outputs, const Tensors& gradients);
  void reach(const Edge& edge);

  void capture(const Tensors& inputs);  // capture.cpp
  bool is_wanted(const Node& node) const { return captured_.empty() || wanted_[node.slot]; }
  bool is_captured(size_t slot) const { return !captured_.empty() && captured_[slot]; }

  bool run_node(Node& node);
  Grads derivative(Node& node, std::span<const Tensor> gs);
  void deliver(const Node& from, size_t i, Tensor g);
  void accumulate(const Edge& x, Tensor g);
  void commit();  // x.grad += dL/dx for every leaf x

  void run_hooks(Ref<GradSlot> slot, Tensor& g);                      // hooks.cpp
  Grads observed_derivative(Node& node, std::span<const Tensor> gs);  // observed.cpp

  size_t slot_of(const Edge& x) const;  // the place of its gradient in sums_
  Tensor& sum_of(const Edge& x) { return sums_[slot_of(x)]; }
  bool may_write(const Tensor& x) const;
  Tensor plus(const Tensor& sum, const Tensor& g) const;
  void free_values(Node& node);
  bool adds_in_place(const Tensor& grad) const;
  List<GradLock> lock_leaves_and_make_grads();  // commit() stores them

  // Memory for the lists below. It is enough for a small graph, whose lists take none from the
  // heap.
  std::array<std::byte, 4096> first_bytes_;
  std::pmr::monotonic_buffer_resource memory_{first_bytes_.data(), first_bytes_.size()};

  BackwardOptions options_;
  const Pass* outer_;  // the enclosing pass on this thread
  List<Edge> roots_{&memory_};
  List<Visit> visits_{&memory_};  // one for each node; collect() sorts them as they run
  size_t next_ = 0;               // in visits_
  // Output k of a node has the slot node.slot + k, and a leaf has one too.
  uint32_t slots_ = 1;  // the first, always empty, is for what the outputs do not depend on
  std::pmr::unordered_map<TensorImpl*, uint32_t> leaf_slots_{&memory_};
  List<Tensor> sums_{&memory_};  // at a slot: the gradient so far
  List<Leaf> leaves_{&memory_};  // in the order in which gradients first reached them
  std::vector<char> captured_;   // at a slot: whether grad() returns it; empty for backward()
  std::vector<char> wanted_;     // at node.slot: whether a captured gradient needs the node

  // observed.cpp. Which memory kernels may reuse: `all` (sums, and what TargetOptions::over names),
  // `none`, or that of one input's sum, by its number.
  static constexpr size_t all = SIZE_MAX, none = SIZE_MAX - 1;
  size_t reuses_ = all;
  std::vector<size_t> would_add_;  // inputs whose kernel would have added to a sum
};

}  // namespace slope
