#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/core/loops/copy.h>

#include <bit>

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

}  // namespace

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
  for (size_t k = 0; k < running.grads.size() && written_.empty(); ++k)
    if (const auto at = first_difference(running.copies[k], running.grads[k]))
      written_ = fmt::format(
          "{} writes into the gradient that it is given: element {} was {:.9g} and is {:.9g} after "
          "its rule; other operations read the same memory, so compute into new memory",
          place(*node.op, node.module), at->element, at->a, at->b);
  running_.pop_back();
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
