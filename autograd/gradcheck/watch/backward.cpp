#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>

#include <bit>
#include <set>

namespace slope {

namespace {

std::string place(const Op& op, const char* module) {
  return module ? fmt::format("{} in module {}", op.name, module) : op.name;
}

// FNV-1a, one value at a time
uint64_t hash_of(const Tensor& x) {
  uint64_t hash = 14695981039346656037ull;
  for (const double v : x.detach().to_vector())
    hash = (hash ^ std::bit_cast<uint64_t>(v)) * 1099511628211ull;
  return hash;
}

// For each rule that ran, the inputs for which it returned something.
struct Returned : Observer {
  struct Run {
    const Node* node;
    std::vector<bool> given;
  };
  std::vector<Run> runs;

  void node_begins(const Node& node, std::span<const Tensor>) override {
    runs.push_back({&node, std::vector<bool>(node.inputs.size())});
  }
  void returned(const Node& node, size_t input, const Tensor& g) override {
    for (Run& run : runs)
      if (run.node == &node) run.given[input] = g.defined();
  }
};

bool leads_to(const Edge& edge, const Tensor& leaf) {
  std::vector<const Edge*> left{&edge};
  std::set<const Node*> seen;
  while (!left.empty()) {
    const Edge& e = *left.back();
    left.pop_back();
    if (e.leaf && e.leaf.get() == &leaf.impl()) return true;
    if (!e.node || !seen.insert(e.node.get()).second) continue;
    for (const Edge& input : e.node->inputs) left.push_back(&input);
  }
  return false;
}

}  // namespace

std::string withheld(const Tensors& outputs, const Tensor& leaf) {
  for (const Tensor& y : outputs) {
    if (!y.requires_grad()) continue;
    Returned seen;
    const Observe observe(seen);
    (void)grad({y}, {leaf},
               {.grad_outputs = {ones_like(y)}, .retain_graph = true, .allow_unused = true});
    for (const auto& [node, given] : seen.runs)
      for (size_t i = 0; i < given.size(); ++i)
        if (!given[i] && leads_to(node->inputs[i], leaf))
          return fmt::format("the rule of {} returns no gradient for its input {}",
                             place(*node->op, node->module), i);
  }
  return "";
}

void WatchBackward::node_begins(const Node&, std::span<const Tensor> grads) {
  Running running;
  for (const Tensor& g : grads) {
    running.grads.push_back(g);
    running.copies.push_back(g.defined() ? contiguous_copy(g) : g);
  }
  running_.push_back(std::move(running));
}

void WatchBackward::rule_ended(const Node& node) {
  const Running& running = running_.back();
  undone_.clear();
  for (size_t k = 0; k < running.grads.size(); ++k) {
    const Tensor &g = running.grads[k], &before = running.copies[k];
    const auto at = first_difference(before, g);
    if (!at) continue;
    if (written_.empty())
      written_ = fmt::format(
          "{} {}: element {} was {:.9g} and is {:.9g} after its rule; other operations read the "
          "same memory, so compute into new memory",
          place(*node.op, node.module), writes_text, at->element, at->a, at->b);
    copy_into(before, g.detach());
    undone_.push_back(g);
  }
  running_.pop_back();
}

void WatchBackward::returned(const Node&, size_t, const Tensor& g) {
  for (const Tensor& written : undone_) returns_what_it_wrote_ |= written.storage() == g.storage();
}

void WatchBackward::contributed(const Node& node, size_t input, const Tensor& g) {
  contributions_.push_back({node.op, node.module, input, hash_of(g)});
}

std::string WatchBackward::first_change(const WatchBackward& other) const {
  for (size_t i = 0; i < std::min(contributions_.size(), other.contributions_.size()); ++i) {
    const Contribution &a = contributions_[i], &b = other.contributions_[i];
    if (a.op != b.op || a.input != b.input || a.hash != b.hash) return place(*a.op, a.module);
  }
  return "";
}

}  // namespace slope
