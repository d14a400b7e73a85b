// Node: one recorded operation. Nodes point to the nodes that made their inputs. Creation order
// (the sequence number) is a topological order. Nothing here recurses, so a chain of a million
// nodes is safe: it is walked and freed through lists.
#pragma once

#include <slope/autograd/grad_slot.h>
#include <slope/autograd/op.h>

namespace slope {

struct Pass;  // one run of backward

// Where a gradient goes: output `output` of `node`, or a leaf. Empty: no gradient is needed.
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
  uint32_t version = 0;         // of its storage, at recording
  OnceRef<GradSlot> slot = {};  // null until a hook, retain_grad() or set_grad() needs it
};

struct Node : RefCounted, memory::Allocated {
  const Op* op = nullptr;
  uint64_t sequence = 0;
  InlineVector<Edge, 2> inputs;
  InlineVector<OutputInfo, 1> outputs;
  std::vector<SavedValue> saved;
  Attributes attributes;
  std::unique_ptr<std::string> origin;  // anomaly mode: the call stack that recorded it
  const char* module = nullptr;      // interned path of the module whose forward made it, or null
  std::atomic<bool> freed{false};    // backward has freed the saved values
  DType autocast = f32;              // precision of products at recording
  uint8_t recompute_steps = 0;       // operations that recompute its output; 0: its users save it
  std::atomic<Pass*> pass{nullptr};  // the pass that holds it
  uint32_t slot = 0;                 // index of its first output in that pass's sums
  Node* next_to_free = nullptr;      // list of nodes without owners

  static void destroy(Node* node);  // iterative
};

inline const Dims& Edge::shape() const {
  return leaf ? leaf->layout.shape : node->outputs[output].shape;
}
inline DType Edge::dtype() const { return leaf ? leaf->dtype : node->outputs[output].dtype; }

uint64_t newest_sequence();                // of the nodes made so far, by any thread
Edge gradient_edge(const Tensor& x);       // empty where x needs no gradient
Ref<Node> gradient_node(const Tensor& x);  // the node that made x; null for leaves

}  // namespace slope
