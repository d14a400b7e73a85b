// Node: one recorded operation. Nodes point to the nodes that made their inputs; creation order
// (the sequence number) is a topological order. Nothing here recurses: a chain of a million nodes
// is walked with an explicit stack and freed through a queue.
#pragma once

#include <slope/autograd/op.h>

#include <functional>

namespace slope {

struct Pass;  // one run of backward

// Where a gradient goes: output `output` of `node`, or a leaf. Neither: no gradient is needed.
struct Edge {
  Ref<Node> node;
  Ref<TensorImpl> leaf;
  uint32_t output = 0;
  explicit operator bool() const { return node || leaf; }
};

struct OutputInfo {
  Dims shape;
  DType dtype;
  uint32_t version = 0;  // of its storage, when it was recorded
};

using Hook = std::function<Tensor(const Tensor& grad)>;

struct NodeHooks {
  std::vector<std::pair<uint32_t, Hook>> hooks;  // by output
  // tensors that want their gradient kept; they remove themselves when they end
  std::vector<std::pair<uint32_t, TensorImpl*>> retain_grad;
};

struct Node : RefCounted, memory::Allocated {
  const Op* op = nullptr;
  uint64_t sequence = 0;
  InlineVector<Edge, 2> inputs;
  InlineVector<OutputInfo, 1> outputs;
  std::vector<SavedValue> saved;
  Attributes attributes;
  std::unique_ptr<NodeHooks> hooks;
  std::unique_ptr<std::string> origin;  // anomaly mode: the calls that made it
  // path of the module whose forward made it, interned; null outside modules
  const char* module = nullptr;
  bool freed = false;  // backward has used and dropped what was saved
  // so many operations make its output again (Op::recompute); 0: it has to be kept
  uint8_t recompute_steps = 0;
  std::atomic<Pass*> pass{nullptr};  // the run of backward that has it in hand
  uint32_t slot = 0;                 // its place there
  Node* next_to_free = nullptr;      // of those that nobody holds any more

  static void destroy(Node* node);  // iterative
};

// What the tape keeps with a tensor.
struct AutogradMeta : Meta, memory::Allocated {
  Ref<Node> node;  // null for a leaf
  uint32_t output = 0;
  bool requires_grad = false;
  bool retain_grad = false;
  Tensor grad;
  std::vector<Hook> leaf_hooks;
  TensorImpl* owner = nullptr;

  ~AutogradMeta() override;
  void check_write() const override;
  std::string text() const override;
};

AutogradMeta* autograd_meta(const TensorImpl& x);  // null where there is none
AutogradMeta* autograd_meta(const Tensor& x);
AutogradMeta& ensure_autograd_meta(const Tensor& x);
Edge gradient_edge(const Tensor& x);       // empty where x needs no gradient
Ref<Node> gradient_node(const Tensor& x);  // the node that made x; null for leaves

// The path of the module whose forward runs on this thread, interned for the life of the process
// ("encoder.layers.0"); null outside.
const char* current_module();
void set_current_module(const char* path);
const char* intern_path(const std::string& path);

}  // namespace slope
