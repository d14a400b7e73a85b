// Which nodes a pass runs: those reachable from its outputs, from the last recorded to the first.
// A node belongs to one pass at a time; a pass nested in another, on the same thread, borrows its
// nodes.
#include <slope/autograd/engine/pass.h>
#include <slope/core/tensor/factories.h>

#include <algorithm>

namespace slope {

static thread_local const Pass* innermost = nullptr;

Pass::Pass(BackwardOptions options) : options_(options), outer_(innermost) {
  options_.retain_graph |= options_.create_graph;
  Observe::tell_pass_begins();  // which may throw
  innermost = this;
}

Pass::~Pass() {
  innermost = outer_;
  for (const Visit& visit : visits_) {
    visit.node->slot = visit.outer_slot;
    visit.node->pass.store(visit.outer, std::memory_order_release);
  }
  Observe::tell(&Observer::pass_ends);
}

bool Pass::is_innermost() const { return innermost == this; }

Pass::List<Tensor> Pass::collect(const Tensors& outputs, const Tensors& gradients) {
  SLOPE_CHECK_AS(AutogradError, gradients.empty() || gradients.size() == outputs.size(),
                 "backward: {} outputs but {} gradients", outputs.size(), gradients.size());
  List<Tensor> given_or_1(&memory_);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& y = outputs[i];
    Edge edge = gradient_edge(y);
    SLOPE_CHECK_AS(
        AutogradError, static_cast<bool>(edge),
        "backward: output {} needs no gradient: nothing that it was computed from requires one", i);
    Tensor g = gradients.empty() ? Tensor() : gradients[i];
    if (!g.defined()) {
      SLOPE_CHECK_AS(AutogradError, y.numel() == 1,
                     "backward: a gradient can be left out only for an output of one element, "
                     "output {} has shape {}",
                     i, y.shape());
      g = ones(y.shape(), y.dtype());
    }
    SLOPE_CHECK_SHAPE(g.shape() == y.shape(), "backward: output {} has shape {}, its gradient {}",
                      i, y.shape(), g.shape());
    SLOPE_CHECK_DTYPE(g.dtype() == y.dtype(), "backward: output {} is {}, its gradient {}", i,
                      name(y.dtype()), name(g.dtype()));
    roots_.push_back(std::move(edge));
    given_or_1.push_back(std::move(g));
  }
  constexpr size_t usual = 32;  // nodes of a small graph
  visits_.reserve(usual);
  leaves_.reserve(usual);
  for (const Edge& root : roots_) reach(root);
  for (size_t i = 0; i < visits_.size(); ++i)  // which grows
    for (const Edge& edge : visits_[i].node->inputs) reach(edge);
  std::ranges::sort(visits_, std::greater(), [](const Visit& v) { return v.node->sequence; });
  sums_.resize(slots_);
  return given_or_1;
}

void Pass::reach(const Edge& edge) {
  if (edge.leaf && leaf_slots_.try_emplace(edge.leaf.get(), slots_).second) ++slots_;
  Node* node = edge.node.get();
  if (!node) return;
  // another thread's pass may be gone: compare its address, never read it
  const auto is_of_this_thread = [](const Pass* pass) {
    for (const Pass* p = innermost; p; p = p->outer_)
      if (p == pass) return true;
    return false;
  };
  Pass* holder = node->pass.load(std::memory_order_acquire);
  if (holder == this) return;
  // nothing may fail between taking a node and listing it in visits_
  if (visits_.size() == visits_.capacity()) visits_.reserve(2 * visits_.capacity());
  SLOPE_CHECK_AS(
      AutogradError,
      (!holder || is_of_this_thread(holder)) && node->pass.compare_exchange_strong(holder, this),
      "backward: another thread is running backward through this graph ({})", node->op->name);
  visits_.push_back({node, holder, node->slot});
  node->slot = slots_;
  slots_ += static_cast<uint32_t>(node->outputs.size());
}

size_t Pass::slot_of(const Edge& x) const {
  if (x.node) return x.node->pass.load() == this ? x.node->slot + x.output : 0;
  const auto at = leaf_slots_.find(x.leaf.get());
  return at == leaf_slots_.end() ? 0 : at->second;
}

}  // namespace slope
