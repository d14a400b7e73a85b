// Pass: one run of backward over the graph that its outputs reach. Private to autograd.
#pragma once

#include <slope/autograd/backward.h>
#include <slope/autograd/engine/meta.h>
#include <slope/autograd/observer.h>

#include <array>
#include <memory_resource>
#include <unordered_map>
#include <unordered_set>

namespace slope {

struct Pass {
  explicit Pass(BackwardOptions options);
  ~Pass();  // releases the nodes

  // collect.cpp: takes the nodes reachable from the outputs
  void collect(std::span<const Tensor> outputs, std::span<const Tensor> gradients);
  bool is_innermost() const;  // on this thread

  // backward.cpp
  void start();        // dL/dL
  const Node* step();  // runs the rule of the next node with a gradient; null at the end
  void finish();       // hooks.cpp: the leaves' hooks
  void run() {
    start();
    while (step()) {
    }
    finish();
  }
  void commit();  // x.grad += dL/dx for every leaf x

  // capture.cpp: restricts the pass to the gradients of `inputs`
  void capture(const Tensors& inputs);
  bool wants(const Edge& edge) const;
  Tensor gradient_of(const Tensor& x) const;
  // A node's slot: where its outputs' gradients begin in sums_.
  bool is_wanted(const Node& node) const { return !captures_ || wanted_[node.slot]; }
  bool is_captured(size_t slot) const { return captures_ && captured_[slot]; }
  // Whether a rule runs this pass inside another pass. Then this one stops at the captured tensors
  // and runs no leaf hooks; the outer pass goes on from these tensors and runs the hooks.
  bool is_within = false;

  // gradient_memory.cpp: which memory may be written
  GradTarget target(const Node& node, size_t input, const Dims& shape, DType dtype,
                    const TargetOptions& options);

 private:
  template <class T>
  using List = std::pmr::vector<T>;
  struct Visit {
    Node* node;
    Pass* outer;  // the pass that held the node before (or null), and the node's slot in it
    uint32_t outer_slot;
  };
  void reach(const Edge& edge);

  bool run_node(Node& node);
  Grads derivative(Node& node, std::span<const Tensor> gs);
  void deliver(const Node& from, size_t i, Tensor g);
  void accumulate(const Edge& x, Tensor g);

  void run_hooks(const Node& node);                                   // hooks.cpp
  Grads observed_derivative(Node& node, std::span<const Tensor> gs);  // observed.cpp
  static Tensor copy_to_show(const Tensor& sum);

  Tensor& sum_of(const Edge& edge);
  const Tensor* find_sum(const Edge& edge) const;  // null if no gradient reached this leaf
  bool may_write(const Tensor& x) const;
  Tensor plus(const Tensor& sum, const Tensor& g) const;
  void free_values(Node& node);
  bool adds_in_place(const Tensor& grad) const;
  List<GradLock> lock_leaves_and_make_grads();  // commit() stores grads

  // Memory for the lists below. It is enough for a small graph, whose lists take none from the
  // heap.
  std::array<std::byte, 4096> first_bytes_;
  std::pmr::monotonic_buffer_resource memory_{first_bytes_.data(), first_bytes_.size()};

  BackwardOptions options_;
  const Pass* outer_;  // the enclosing pass on this thread
  List<Edge> roots_{&memory_};
  List<Tensor> root_gradients_{&memory_};
  List<Visit> visits_{&memory_};  // of each node, by creation; the first `left_` have not run
  size_t left_ = 0;
  uint32_t slots_ = 0;
  List<Tensor> sums_{&memory_};             // gradient of output k of a node: sums_[node.slot + k]
  List<Ref<TensorImpl>> leaves_{&memory_};  // in the order in which gradients first reached them
  List<Tensor> leaf_sums_{&memory_};
  std::pmr::unordered_map<TensorImpl*, size_t> leaf_index_{&memory_};

  bool captures_ = false;
  std::vector<char> wanted_;    // at node.slot: whether a captured gradient needs the node
  std::vector<char> captured_;  // at node.slot + k: whether the gradient of output k was requested
  std::unordered_set<TensorImpl*> captured_leaves_;

  // observed.cpp
  bool targets_are_new_ = false;  // kernels get new memory even where they could add to a sum
  bool would_add_ = false;        // a kernel would have added to one
};

// grad() for rules that differentiate inside a pass.
Tensors grad_within(const Tensors& outputs, const Tensors& inputs, const GradOptions& options);

}  // namespace slope
