// Pass: one run of backward over the part of the tape that the outputs reach. Private to autograd.
#pragma once

#include <slope/autograd/backward.h>
#include <slope/autograd/node.h>

#include <array>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace slope {

struct Pass {
  Pass(std::span<const Tensor> outputs, std::span<const Tensor> gradients, BackwardOptions options);
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // only these gradients are wanted; nodes that lead to none are skipped
  void capture(const Tensors& inputs);
  void run();
  void commit();  // adds the leaves' gradients to theirs, and ends the pass
  Tensor gradient_of(const Tensor& x) const;
  // whether somebody asks for this gradient, or for one that it leads to
  bool wants(const Edge& edge) const;
  Tensor sum_so_far(const Edge& edge) const;
  // of its first output, while its derivative runs
  bool may_overwrite_grad_of(const Node& node) const;
  bool frees_values() const { return !options_.create_graph && !options_.retain_graph; }

  // Whether leaf hooks run. Not where another pass will hand the same gradients to the same leaves.
  bool leaf_hooks = true;
  // Whether the captured tensors are where the tape begins: what they were computed
  // from is another pass's.
  bool begins_at_captured = false;

 private:
  // the public one builds on it, so that the nodes are let go of if collecting fails
  explicit Pass(BackwardOptions options);
  struct Visit {
    Node* node;
    Pass* outer;  // the run that this one is nested in, and its slot there
    uint32_t outer_slot;
  };
  void collect();
  void run_node(Node& node);
  void deliver(const Node& from, size_t input, Tensor g);
  void accumulate(Tensor& sum, Tensor g);
  Tensor& leaf_sum(TensorImpl* leaf);
  Tensor& sum_of(const Edge& edge);
  void apply_hooks(Node& node);

  // The lists of a small graph stand in here: a pass over one asks nobody for memory.
  std::array<std::byte, 4096> first_bytes_;
  std::pmr::monotonic_buffer_resource memory_{first_bytes_.data(), first_bytes_.size()};
  template <class T>
  using List = std::pmr::vector<T>;

  BackwardOptions options_;
  const Pass* outer_;  // the run in this thread that this one is nested in
  List<Edge> roots_{&memory_};
  List<Tensor> root_gradients_{&memory_};
  List<Visit> visits_{&memory_};
  List<Node*> order_{&memory_};
  List<Tensor> sums_{&memory_};             // gradient of output k of a node: sums_[node.slot + k]
  List<Ref<TensorImpl>> leaves_{&memory_};  // in the order in which gradients first reached them
  List<Tensor> leaf_sums_{&memory_};
  std::pmr::unordered_map<TensorImpl*, size_t> leaf_index_{&memory_};
  bool captures_ = false;       // else all are wanted
  std::vector<char> wanted_;    // by slot of a node's first output
  std::vector<char> captured_;  // by slot: this sum is asked for, keep it
  std::unordered_set<TensorImpl*> wanted_leaves_;
};

// grad() for rules that differentiate inside a pass: its leaf hooks are left to that pass.
Tensors grad_within(const Tensors& outputs, const Tensors& inputs, const GradOptions& options);

// The gradients of op's inputs through its composite reference, or through the function that
// checkpoint() kept.
Grads gradients_through_reference(const Op& op, const Saved& s);

}  // namespace slope
