// The tape of a result as plain data, for drawings: leaves, operations, outputs and the arrows
// between them. Written as DOT (graphviz) and JSON; models/draw/graph_svg.h draws it without other
// tools. The colours are torchviz's.
#pragma once

#include <slope/autograd/node.h>
#include <slope/core/tensor/named_tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slope {

struct GraphNode {
  enum class Kind { leaf, operation, output };
  Kind kind;
  std::string name;         // of the leaf, operation, module or output
  std::string result = {};  // the name given to the operation's result
  std::string module = {};  // path of the module whose forward made it; "" outside modules
  std::vector<OutputInfo> shapes = {};                               // of its outputs
  std::vector<std::pair<std::string, std::string>> attributes = {};  // as text
  int64_t operations = 1;   // in a module's box: how many it contains
  int64_t parameters = 0;   // in a module's box: elements of leaves that only it uses
  int64_t saved_bytes = 0;  // for backward
  std::string value = {};   // of small tensors, if known: "-4", "[1, 2.5]"
  std::string grad = {};    // the same for grad(): of leaves, and after retain_grad()

  std::string label() const;    // "layer_norm", "d = add", "mha (9 operations)"
  std::string detail() const;   // "(2, 3)", "float64 (2, 3)"
  std::string numbers() const;  // "value -4, grad 138.834"; "" if unknown
};

struct GraphEdge {
  int64_t from, to;  // positions in `nodes`, from < to
  int64_t input;     // which input of `to`; 0 if that is an output
};

struct Graph {
  std::vector<GraphNode> nodes;  // each after the nodes it was computed from
  std::vector<GraphEdge> edges;  // sorted by `to`
};

struct GraphOptions {
  // Names of leaves and of intermediate results. A result with a name also shows its value. Other
  // leaves are called "leaf".
  NamedTensors names = {};
  std::vector<std::string> outputs = {};  // names; others are called "output"
  // Consecutive operations of one module become one box. Modules are distinguished down to this
  // depth of their path ("encoder.layers.0" has depth 3). Leaves that only the box uses join it.
  // 0: every operation is its own box.
  int64_t module_depth = 0;
  int64_t most_values = 4;  // a tensor with more elements shows neither value nor gradient
};

Graph graph_of(const Tensors& outputs, const GraphOptions& options = {});
std::string to_dot(const Graph& graph);
// {"nodes": [{"id": …, "kind": …, "name": …, …}], "edges": [{"from": …, "to": …, "input": …}]}
std::string to_json(const Graph& graph);

}  // namespace slope
