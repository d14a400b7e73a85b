#include <slope/autograd/graph/graph.h>
#include <slope/autograd/graph/walk.h>
#include <slope/core/text/json.h>
#include <slope/core/text/visible.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace slope {

namespace {

using Kind = GraphNode::Kind;

// The first `depth` parts of a dotted path.
std::string cut_path(const std::string& path, int64_t depth) {
  size_t end = 0;
  for (int64_t i = 0; i < depth; ++i) {
    end = path.find('.', end + (i > 0));
    if (end == std::string::npos) return path;
  }
  return path.substr(0, end);
}

// "-4", "[1, 2.5]"; empty if x is undefined or has more than `most` elements.
std::string values_of(const Tensor& x, int64_t most) {
  if (!x.defined() || x.numel() > most) return "";
  std::string text;
  for (const double v : x.detach().to_vector())
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", v);
  return x.rank() == 0 ? text : "[" + text + "]";
}

GraphNode describe(const Node& node) {
  GraphNode box{.kind = Kind::operation,
                .name = node.op->name,
                .module = node.module ? node.module : "",
                .shapes = {node.outputs.begin(), node.outputs.end()},
                .attributes = attributes_of(node)};
  for (const SavedValue& value : node.saved) box.saved_bytes += value.bytes();
  return box;
}

class Builder {
 public:
  explicit Builder(const GraphOptions& options) : options_(options) {
    for (const NamedTensor& named : options.names)
      if (const Edge edge = gradient_edge(named.tensor)) named_[key(edge)] = &named;
  }

  Graph build(const Tensors& outputs) {
    const std::vector<Node*> nodes = nodes_of(outputs);
    for (Node* node : nodes) {
      place_[node] = add(describe(*node));
      for (uint32_t k = 0; k < node->outputs.size(); ++k) add_result(*node, k);
    }
    for (Node* node : nodes)
      for (size_t i = 0; i < node->inputs.size(); ++i)
        connect(node->inputs[i], place_[node], static_cast<int64_t>(i));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& y = outputs[i];
      const auto output = add({.kind = Kind::output,
                               .name = i < options_.outputs.size() ? options_.outputs[i] : "output",
                               .module = {},
                               .shapes = {{y.shape(), y.dtype()}},
                               .attributes = {},
                               .value = values_of(y, options_.most_values)});
      connect(gradient_edge(y), output, 0);
    }
    if (options_.module_depth > 0) group();
    return sorted();
  }

 private:
  int64_t add(GraphNode node) {
    graph_.nodes.push_back(std::move(node));
    return static_cast<int64_t>(graph_.nodes.size()) - 1;
  }

  // What is known about output k of the last added node.
  void add_result(const Node& node, uint32_t k) {
    GraphNode& box = graph_.nodes.back();
    const auto named = named_.find({&node, k});
    if (named != named_.end()) {
      box.result += (box.result.empty() ? "" : ", ") + named->second->name;
      box.value = values_of(named->second->tensor, options_.most_values);
    }
    if (GradSlot* slot = node.outputs[k].slot.get())
      box.grad = values_of(slot->read(), options_.most_values);
  }

  using Key = std::pair<const void*, uint32_t>;
  static Key key(const Edge& edge) {
    return edge.leaf ? Key{edge.leaf.get(), 0} : Key{edge.node.get(), edge.output};
  }

  void connect(const Edge& edge, int64_t to, int64_t input) {
    if (edge.node) graph_.edges.push_back({place_[edge.node.get()], to, input});
    if (!edge.leaf) return;
    const auto [found, is_new] =
        leaf_place_.try_emplace(edge.leaf.get(), static_cast<int64_t>(graph_.nodes.size()));
    if (is_new) {
      const auto named = named_.find(key(edge));
      const Tensor leaf(edge.leaf);
      add({.kind = Kind::leaf,
           .name = named == named_.end() ? "leaf" : named->second->name,
           .shapes = {{leaf.shape(), leaf.dtype()}},
           .value = values_of(leaf, options_.most_values),
           .grad = values_of(leaf.grad(), options_.most_values)});
    }
    graph_.edges.push_back({found->second, to, input});
  }

  // Operations are in the order in which they ran, a topological order. Boxes of consecutive
  // operations therefore form no cycle.
  void group() {
    const size_t n = graph_.nodes.size();
    std::vector<int64_t> box(n);  // for each node: where its box is in `grouped`
    std::vector<GraphNode> grouped;
    std::string open;  // the module of the last box if more operations may join it
    for (size_t i = 0; i < n; ++i) {
      GraphNode& node = graph_.nodes[i];
      const std::string module =
          node.kind == Kind::operation ? cut_path(node.module, options_.module_depth) : "";
      if (!module.empty() && module == open) {
        GraphNode& last = grouped.back();
        last.shapes = std::move(node.shapes);
        last.saved_bytes += node.saved_bytes;
        ++last.operations;
      } else {
        if (!module.empty()) {
          node.name = node.module = module;
          node.result = node.value = node.grad = "";
          node.attributes.clear();
        }
        grouped.push_back(std::move(node));
      }
      open = module;
      box[i] = static_cast<int64_t>(grouped.size()) - 1;
    }
    std::vector<GraphEdge> edges;
    std::set<std::tuple<int64_t, int64_t, int64_t>> seen;  // a module's box: one arrow per source
    for (const GraphEdge& e : graph_.edges) {
      const GraphEdge moved{box[static_cast<size_t>(e.from)], box[static_cast<size_t>(e.to)],
                            e.input};
      const bool is_module = !grouped[static_cast<size_t>(moved.to)].module.empty();
      if (moved.from != moved.to &&
          seen.insert({moved.from, moved.to, is_module ? -1 : moved.input}).second)
        edges.push_back(moved);
    }
    graph_ = {std::move(grouped), std::move(edges)};
    absorb_leaves();
  }

  void absorb_leaves() {
    std::vector<int64_t> reader(graph_.nodes.size(), -1), readers(graph_.nodes.size(), 0);
    for (const GraphEdge& e : graph_.edges)
      reader[static_cast<size_t>(e.from)] = e.to, ++readers[static_cast<size_t>(e.from)];
    gone_.assign(graph_.nodes.size(), false);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind != Kind::leaf || readers[i] != 1) continue;
      GraphNode& box = graph_.nodes[static_cast<size_t>(reader[i])];
      if (box.kind != Kind::operation || box.module.empty()) continue;
      box.parameters += numel(graph_.nodes[i].shapes[0].shape);
      gone_[i] = true;
    }
    std::erase_if(graph_.edges,
                  [this](const GraphEdge& e) { return gone_[static_cast<size_t>(e.from)]; });
  }

  // Leaves move in front of their first reader.
  Graph sorted() {
    const size_t n = graph_.nodes.size();
    gone_.resize(n, false);
    std::vector<int64_t> key(n);  // the position to sort by
    for (size_t i = 0; i < n; ++i)
      key[i] = graph_.nodes[i].kind == Kind::leaf ? INT64_MAX : static_cast<int64_t>(i);
    for (const GraphEdge& e : graph_.edges)
      if (graph_.nodes[static_cast<size_t>(e.from)].kind == Kind::leaf)
        key[static_cast<size_t>(e.from)] = std::min(key[static_cast<size_t>(e.from)], e.to);
    std::vector<size_t> order;
    for (size_t i = 0; i < n; ++i)
      if (!gone_[i]) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const bool a_leaf = graph_.nodes[a].kind == Kind::leaf,
                 b_leaf = graph_.nodes[b].kind == Kind::leaf;
      return std::pair(key[a], !a_leaf) < std::pair(key[b], !b_leaf);
    });
    Graph result;
    std::vector<int64_t> position(n, -1);
    for (size_t i : order) {
      position[i] = static_cast<int64_t>(result.nodes.size());
      result.nodes.push_back(std::move(graph_.nodes[i]));
    }
    for (const GraphEdge& e : graph_.edges)
      result.edges.push_back(
          {position[static_cast<size_t>(e.from)], position[static_cast<size_t>(e.to)], e.input});
    std::stable_sort(result.edges.begin(), result.edges.end(),
                     [](const GraphEdge& a, const GraphEdge& b) {
                       return std::pair(a.to, a.input) < std::pair(b.to, b.input);
                     });
    return result;
  }

  const GraphOptions& options_;
  Graph graph_;
  std::map<Key, const NamedTensor*> named_;
  std::unordered_map<const Node*, int64_t> place_;
  std::unordered_map<const TensorImpl*, int64_t> leaf_place_;
  std::vector<bool> gone_;
};

const char* name_of(Kind kind) {
  return kind == Kind::leaf ? "leaf" : kind == Kind::output ? "output" : "operation";
}

}  // namespace

std::string GraphNode::label() const {
  if (operations > 1) return fmt::format("{} ({} operations)", name, operations);
  return result.empty() ? name : fmt::format("{} = {}", result, name);
}

std::string GraphNode::numbers() const {
  const std::string of_value = value.empty() ? "" : "value " + value;
  if (grad.empty()) return of_value;
  return of_value + (value.empty() ? "grad " : ", grad ") + grad;
}

std::string GraphNode::detail() const {
  std::string text;
  for (const OutputInfo& info : shapes) {
    text += text.empty() ? "" : ", ";
    text += info.dtype == f32
                ? to_string(info.shape)
                : fmt::format("{} {}", slope::name(info.dtype), to_string(info.shape));
  }
  return parameters > 0 ? fmt::format("{} · {} parameters", text, parameters) : text;
}

Graph graph_of(const Tensors& outputs, const GraphOptions& options) {
  return Builder(options).build(outputs);
}

namespace {

// In DOT a backslash escapes a quotation mark and begins a line break; what is not printable has no
// escape there.
std::string dot_quoted(std::string_view text) {
  std::string quoted;
  for (size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    if (at > 0) quoted += "\\n";
    for (const char c : visible(text.substr(at, end - at))) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return "\"" + quoted + "\"";
}

}  // namespace

std::string to_dot(const Graph& graph) {
  std::string dot =
      "digraph {\n  node [style=filled, shape=box, fontname=\"Helvetica\", fontsize=11]\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    const char* color = node.kind == Kind::leaf     ? "lightblue"
                        : node.kind == Kind::output ? "darkolivegreen1"
                                                    : "lightgrey";
    std::string label = node.label() + "\n" + node.detail();
    if (const std::string numbers = node.numbers(); !numbers.empty()) label += "\n" + numbers;
    if (!node.module.empty() && node.module != node.name) label += "\n" + node.module;
    dot += fmt::format("  n{} [label={}, fillcolor={}]\n", i, dot_quoted(label), color);
  }
  for (const GraphEdge& e : graph.edges) dot += fmt::format("  n{} -> n{}\n", e.from, e.to);
  return dot + "}\n";
}

std::string to_json(const Graph& graph) {
  const auto quoted = [](const std::string& text) { return JsonReader::escaped(text); };
  std::string json = "{\"nodes\": [";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    json += fmt::format("{}\n  {{\"id\": {}, \"kind\": \"{}\", \"name\": {}", i ? "," : "", i,
                        name_of(node.kind), quoted(node.name));
    const auto add = [&](const char* key, const std::string& text) {
      if (!text.empty()) json += fmt::format(", \"{}\": {}", key, quoted(text));
    };
    add("result", node.result);
    add("module", node.module);
    add("value", node.value);
    add("grad", node.grad);
    json += ", \"tensors\": [";
    for (size_t k = 0; k < node.shapes.size(); ++k)
      json += fmt::format("{}{{\"dtype\": \"{}\", \"shape\": [{}]}}", k ? ", " : "",
                          slope::name(node.shapes[k].dtype), fmt::join(node.shapes[k].shape, ", "));
    json += "]";
    if (node.kind == Kind::operation)
      json += fmt::format(", \"operations\": {}, \"saved_bytes\": {}", node.operations,
                          node.saved_bytes);
    if (node.parameters > 0) json += fmt::format(", \"parameters\": {}", node.parameters);
    if (!node.attributes.empty()) json += ", \"attributes\": " + to_json(node.attributes);
    json += "}";
  }
  json += "\n], \"edges\": [";
  for (size_t i = 0; i < graph.edges.size(); ++i)
    json += fmt::format("{}\n  {{\"from\": {}, \"to\": {}, \"input\": {}}}", i ? "," : "",
                        graph.edges[i].from, graph.edges[i].to, graph.edges[i].input);
  return json + "\n]}\n";
}

}  // namespace slope
