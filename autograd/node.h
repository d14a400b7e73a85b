// Node: one recorded operation. Nodes point to the nodes that made their inputs; creation order
// (the sequence number) is a topological order. Nothing here recurses: a chain of a million nodes
// is walked with an explicit stack and freed through a queue.
#pragma once

#include <slope/autograd/grad_slot.h>
#include <slope/autograd/op.h>

namespace slope {

struct Pass;  // one run of backward

// Where a gradient goes: output `output` of `node`, or a leaf. Neither: no gradient is needed.
struct Edge {
  Ref<Node> node;
  Ref<TensorImpl> leaf;
  uint32_t output = 0;
  explicit operator bool() const { return node || leaf; }
  const Dims& shape() const;
  DType dtype() const;
};

struct OutputInfo {
  Dims shape;
  DType dtype;
  uint32_t version = 0;     // of its storage, when it was recorded
  Ref<GradSlot> slot = {};  // null without hooks and retain_grad()
};

struct Node : RefCounted, memory::Allocated {
  const Op* op = nullptr;
  uint64_t sequence = 0;
  InlineVector<Edge, 2> inputs;
  InlineVector<OutputInfo, 1> outputs;
  std::vector<SavedValue> saved;
  Attributes attributes;
  std::unique_ptr<std::string> origin;  // anomaly mode: the calls that made it
  // path of the module whose forward made it, interned; null outside modules
  const char* module = nullptr;
  std::atomic<bool> freed{false};  // backward has used and dropped what was saved
  DType autocast = f32;            // the precision of products when it was recorded
  // number of operations that recompute its output; 0: users have to save it
  uint8_t recompute_steps = 0;
  std::atomic<Pass*> pass{nullptr};  // the run of backward that has it
  uint32_t slot = 0;                 // its first place among that run's sums
  Node* next_to_free = nullptr;      // queue of nodes that nobody holds any more

  static void destroy(Node* node);  // iterative
};

inline const Dims& Edge::shape() const {
  return leaf ? leaf->layout.shape : node->outputs[output].shape;
}
inline DType Edge::dtype() const { return leaf ? leaf->dtype : node->outputs[output].dtype; }

Edge gradient_edge(const Tensor& x);       // empty where x needs no gradient
Ref<Node> gradient_node(const Tensor& x);  // the node that made x; null for leaves

}  // namespace slope
