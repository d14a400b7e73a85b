#include <slope/autograd/graph/walk.h>
#include <slope/core/text/json.h>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace slope {

std::vector<Node*> nodes_of(const Tensors& outputs) {
  std::vector<Node*> nodes;
  std::unordered_set<Node*> seen;
  const auto reach = [&](const Edge& edge) {
    if (edge.node && seen.insert(edge.node.get()).second) nodes.push_back(edge.node.get());
  };
  for (const Tensor& y : outputs) reach(gradient_edge(y));
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Edge& edge : nodes[i]->inputs) reach(edge);
  std::sort(nodes.begin(), nodes.end(),
            [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
  return nodes;
}

Tensors leaves_of(const Tensors& outputs) {
  Tensors leaves;
  std::unordered_set<TensorImpl*> seen;
  const auto reach = [&](const Edge& edge) {
    if (edge.leaf && seen.insert(edge.leaf.get()).second) leaves.emplace_back(edge.leaf);
  };
  for (const Node* node : nodes_of(outputs))
    for (const Edge& edge : node->inputs) reach(edge);
  for (const Tensor& y : outputs) reach(gradient_edge(y));
  return leaves;
}

NamedTexts attributes_of(const Node& node) {
  struct Visitor {
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const Dims& v) const { return to_string(v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::shared_ptr<void>&) const { return "…"; }
  };
  NamedTexts texts;
  for (const Attribute& a : node.attributes)
    texts.emplace_back(a.name, std::visit(Visitor{}, a.value));
  return texts;
}

std::string to_json(const NamedTexts& texts) {
  std::string json;
  for (const auto& [name, text] : texts)
    json += fmt::format("{}{}: {}", json.empty() ? "" : ", ", JsonReader::escaped(name),
                        JsonReader::escaped(text));
  return "{" + json + "}";
}

}  // namespace slope
