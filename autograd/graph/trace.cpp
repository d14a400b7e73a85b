#include <slope/autograd/backward.h>
#include <slope/autograd/graph/trace.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/observer.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <unordered_map>

namespace slope {

Trace::Value trace_value(const Tensor& x, int64_t most_values) {
  Trace::Value value{.shape = x.shape(), .dtype = x.dtype()};
  std::vector<double> all = x.detach().to_vector();
  double squares = 0;
  for (const double v : all) squares += v * v;
  value.norm = std::sqrt(squares);
  if (x.numel() <= most_values) value.values = std::move(all);
  return value;
}

namespace {

// Whether an operation's formula has this word; x_index has the word index.
bool names(const Definition& definition, const std::string& word) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (const std::string text : {definition.forward, definition.derivative})
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
      if ((at == 0 || !is_letter(text[at - 1])) && !is_letter(text[at + word.size()])) return true;
  return false;
}

using Event = Trace::Event;
using EventKind = Event::Kind;

bool is_inside(const char* module, const std::string& wanted) {
  const std::string path = module ? module : "";
  return wanted.empty() || path == wanted || path.starts_with(wanted + ".");
}

class Tracer : public Observer {
 public:
  Tracer(const Tensors& outputs, const TraceOptions& options) : options_(options) {
    for (Node* node : nodes_of(outputs))
      if (is_inside(node->module, options.module))
        place_[node] = static_cast<int64_t>(operations_.size()), operations_.push_back(node);
    check_size();
    for (const Node* node : operations_) add_operation(*node);
    if (options.module.empty())  // an output that is a leaf belongs to no operation, nor module
      for (const Tensor& y : outputs)
        if (const Edge edge = gradient_edge(y); edge.leaf) variable(edge);
    for (const NamedTensor& named : options.names) {
      const Edge edge = gradient_edge(named.tensor);
      if (const int64_t v = find(edge); v >= 0) name(v, named);
    }
  }

  Trace run(const Tensors& outputs) {
    {
      const Observe observe(*this);
      backward(outputs, options_.gradients, {.retain_graph = options_.retain_graph});
    }
    return std::move(trace_);
  }

  void pass_begins() override { ++depth_; }
  void pass_ends() noexcept override { --depth_; }

  void node_begins(const Node& node, std::span<const Tensor> grads) override {
    if (!shows(&node)) return;
    Event& event = add({.kind = EventKind::operation, .operation = place_[&node]});
    for (const Tensor& g : grads)
      event.values.push_back(g.defined() ? value_of(g) : Trace::Value{});
  }
  void returned(const Node& node, size_t input, const Tensor& g) override {
    if (shows(&node) && g.shape() != node.inputs[input].shape()) before_sum_ = value_of(g);
  }
  void contributed(const Node& node, size_t input, const Tensor& g) override {
    is_shown_ = shows(&node);
    if (!is_shown_) return;
    Event& event = add({.kind = EventKind::contribution,
                        .operation = place_[&node],
                        .input = static_cast<int64_t>(input),
                        .variable = find(node.inputs[input]),
                        .values = {value_of(g)}});
    if (before_sum_) event.values.push_back(std::move(*before_sum_));
    before_sum_.reset();
  }
  void summed(const Edge& edge, const Tensor& before, const Tensor& after) override {
    const int64_t v = find(edge);
    if (depth_ != 1 || v < 0) return;
    const int64_t count = ++counts_[v];
    if (!has_begun_) add({.kind = EventKind::start, .variable = v, .values = {value_of(after)}});
    if (count > 1 && has_begun_ && is_shown_)
      add({.kind = EventKind::sum,
           .variable = v,
           .count = count,
           .values = {value_of(before), value_of(after)}});
  }
  void recomputed(const Node& node, const SavedValue& value) override {
    if (shows(&node))
      add({.kind = EventKind::recomputed, .operation = place_[&node], .bytes = value.bytes()});
  }
  void freeing(const Node& node) override {
    int64_t bytes = 0;
    for (const SavedValue& value : node.saved) bytes += value.bytes();
    if (shows(&node) && bytes > 0)
      add({.kind = EventKind::freed, .operation = place_[&node], .bytes = bytes});
  }
  void handed_over(const Tensor& leaf, const Tensor& g) override {
    if (const int64_t v = find(gradient_edge(leaf)); v >= 0)
      add({.kind = EventKind::leaf, .variable = v, .values = {value_of(g)}});
  }

 private:
  void check_size() const {
    const auto n = static_cast<int64_t>(operations_.size());
    SLOPE_CHECK_AS(InputError, n > 0 || options_.module.empty(),
                   "trace: no operation belongs to module '{}'; an empty name traces all",
                   options_.module);
    SLOPE_CHECK_AS(InputError, n <= options_.most_operations,
                   "trace: there are {} operations to show, more than {}; name a module to show "
                   "only its operations (slope graph --module), take a smaller instance, or raise "
                   "most_operations",
                   n, options_.most_operations);
  }

  void add_operation(const Node& node) {
    Trace::Operation operation{.op = node.op, .module = node.module ? node.module : ""};
    for (const Edge& edge : node.inputs) operation.inputs.push_back(edge ? variable(edge) : -1);
    for (uint32_t k = 0; k < node.outputs.size(); ++k)
      operation.outputs.push_back(variable(Edge{Ref<Node>(const_cast<Node*>(&node)), nullptr, k}));
    for (const SavedValue& value : node.saved)
      operation.saved.push_back({value.kind, value.index, value.bytes()});
    for (auto& attribute : attributes_of(node))
      if (names(node.op->definition, attribute.first))
        operation.attributes.push_back(std::move(attribute));
    trace_.operations.push_back(std::move(operation));
  }

  // The variable of an edge; a new one if it is not known yet.
  int64_t variable(const Edge& edge) {
    if (const int64_t known = find(edge); known >= 0) return known;
    const auto v = static_cast<int64_t>(trace_.variables.size());
    variables_[key(edge)] = v;
    const std::string name =
        edge.leaf ? fmt::format("leaf {}", ++leaves_) : fmt::format("v{}", ++results_);
    trace_.variables.push_back({.name = name,
                                .is_leaf = static_cast<bool>(edge.leaf),
                                .shape = edge.shape(),
                                .dtype = edge.dtype()});
    if (edge.leaf) trace_.variables.back().value = {value_of(Tensor(edge.leaf))};
    return v;
  }
  int64_t find(const Edge& edge) const {
    const auto at = edge ? variables_.find(key(edge)) : variables_.end();
    return at == variables_.end() ? -1 : at->second;
  }
  void name(int64_t v, const NamedTensor& named) {
    Trace::Variable& variable = trace_.variables[static_cast<size_t>(v)];
    variable.name = named.name;
    variable.value = {value_of(named.tensor)};
  }

  using Key = std::pair<const void*, uint32_t>;
  struct Hash {
    size_t operator()(const Key& k) const { return std::hash<const void*>()(k.first) + k.second; }
  };
  static Key key(const Edge& edge) {
    return edge.leaf ? Key{edge.leaf.get(), 0} : Key{edge.node.get(), edge.output};
  }

  Trace::Value value_of(const Tensor& x) const { return trace_value(x, options_.most_values); }

  bool shows(const Node* node) {
    has_begun_ |= depth_ == 1;
    return depth_ == 1 && place_.contains(node);
  }
  Event& add(Event event) {
    trace_.events.push_back(std::move(event));
    return trace_.events.back();
  }

  const TraceOptions& options_;
  Trace trace_;
  std::vector<const Node*> operations_;
  std::unordered_map<const Node*, int64_t> place_;
  std::unordered_map<Key, int64_t, Hash> variables_;
  std::unordered_map<int64_t, int64_t> counts_;  // contributions to a variable so far
  int64_t leaves_ = 0, results_ = 0;
  int depth_ = 0;                           // of passes; a pass inside a rule is not shown
  bool has_begun_ = false;                  // the first operation was processed
  bool is_shown_ = false;                   // whether the last contribution is shown
  std::optional<Trace::Value> before_sum_;  // what the rule returned, if broadcast dims are summed
};

}  // namespace

Trace trace_backward(const Tensors& outputs, const TraceOptions& options) {
  return Tracer(outputs, options).run(outputs);
}

}  // namespace slope
