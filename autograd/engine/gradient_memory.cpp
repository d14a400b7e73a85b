// Which memory a gradient may be written to. A tensor that only this pass holds may be changed in
// place; one that a hook, a caller, another sum or a graph also holds may not.
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/ops.h>
#include <slope/autograd/ops/shape/adjacent.h>
#include <slope/autograd/ops/shape/dim_order.h>
#include <slope/core/loops/copy.h>

#include <algorithm>

namespace slope {

bool Pass::may_write(const Tensor& x) const {
  return !options_.create_graph && x.impl().ref_count() == 1 && x.storage()->ref_count() == 1 &&
         x.is_contiguous() && !x.requires_grad();
}

// In new memory: sum + g, or g where there is no sum yet. bf16 is added as add_into() adds it.
Tensor Pass::plus(const Tensor& sum, const Tensor& g) const {
  if (!sum.defined()) return options_.create_graph ? clone(g) : contiguous_copy(g);
  if (is_computed_in(g.dtype())) return sum + g;
  return to(to(sum, f32) + to(g, f32), g.dtype());
}

// ---- where a kernel writes

GradTarget Saved::target(int i, const Dims& shape, DType dtype,
                         const TargetOptions& options) const {
  const auto input = static_cast<size_t>(i), reuses = pass_->reuses_;
  const Edge& x = node_.inputs[input];
  const Tensor *sum = options.may_add && x ? &pass_->sum_of(x) : nullptr, &g = grads_[0];
  const bool adds = sum && sum->defined() && pass_->may_write(*sum);
  if (adds && (reuses == Pass::all || reuses == input)) return {.tensor = *sum, .adds = true};
  if (adds) pass_->would_add_.push_back(input);
  if (options.over && options.over->defined() && reuses == Pass::all) {
    const bool is_last_use = options.over->is_same(g)
                                 ? !pass_->is_captured(node_.slot) && pass_->may_write(g)
                                 : !pass_->options_.retain_graph;
    if (is_last_use) return {.tensor = *options.over};
  }
  return {.tensor = Tensor::empty(shape, dtype)};
}

Tensors Saved::targets_like(const Tensors& xs, DType dtype) const {
  Tensors targets = xs;
  bool all = true;
  for (size_t i = 0; i < xs.size(); ++i)
    if (!xs[i].defined() || !needs(static_cast<int>(i))) targets[i] = Tensor(), all = false;
  Tensors slices = all ? empty_adjacent_like(xs, dtype) : Tensors();
  if (!slices.empty()) return slices;
  for (Tensor& x : targets)
    if (x.defined()) x = empty_in_order_of(x.shape(), x, dtype);
  return targets;
}

// ---- what is freed, what a leaf gets

void Pass::free_values(Node& node) {
  if (!options_.retain_graph && !node.saved.empty()) {
    Observe::tell(&Observer::freeing, node);
    node.saved.clear();
    node.freed = true;
  }
  for (size_t k = node.slot; k < node.slot + node.outputs.size(); ++k)
    if (!is_captured(k)) sums_[k] = Tensor();
}

bool Pass::adds_in_place(const Tensor& grad) const {
  return !options_.create_graph && grad.defined() && grad.is_contiguous();
}

// Turns every leaf's sum into its new grad(), unless grad() can be added to in place. A leaf owns
// its gradient alone, so a sum that another leaf, a retained gradient or the caller holds is
// copied. Leaves are locked in order of address: two passes that share leaves cannot deadlock.
Pass::List<GradLock> Pass::lock_leaves_and_make_grads() {
  // frozen since the forward
  std::erase_if(leaves_, [](const Leaf& x) { return !autograd_meta(*x.tensor)->requires_grad; });
  List<GradSlot*> by_address(&memory_);
  by_address.reserve(leaves_.size());
  for (const Leaf& x : leaves_) {
    if (Observe::anybody()) Observe::tell(&Observer::handed_over, Tensor(x.tensor), *x.sum);
    by_address.push_back(x.slot);
  }
  std::ranges::sort(by_address);
  List<GradLock> locks(&memory_);
  locks.reserve(leaves_.size());
  for (GradSlot* slot : by_address) locks.emplace_back(*slot);
  const Observe::Hidden hidden;  // an observer that asks for a grad() would wait for ever
  for (const Leaf& x : leaves_) {
    const Tensor& grad = x.slot->grad;
    if (adds_in_place(grad)) continue;
    if (grad.defined() || !may_write(*x.sum)) *x.sum = plus(grad, *x.sum);
  }
  return locks;
}

}  // namespace slope
