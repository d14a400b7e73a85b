#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/watch/backward.h>
#include <slope/autograd/gradcheck/watch/calls.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace slope {

namespace {

// FNV-1a, one value at a time
constexpr uint64_t fnv_prime = 1099511628211ull;
uint64_t hash_of(const std::vector<double>& values) {
  uint64_t hash = 14695981039346656037ull;
  for (const double v : values) hash = (hash ^ std::bit_cast<uint64_t>(v)) * fnv_prime;
  return hash;
}

}  // namespace

void Factors::keep_in_range(double size, DType dtype) {
  if (size == 0 || !std::isfinite(size)) return;
  const int exponent = std::ilogb(size), limit = dtype == f64 ? 1000 : 120;
  least = std::max(least, std::ldexp(1.0, std::clamp(-limit - exponent, -1000, 0)));
  most = std::min(most, std::ldexp(1.0, std::clamp(limit - exponent, 0, 1000)));
}

void WatchBackward::node_begins(const Node& node, std::span<const Tensor> grads) {
  Running running{.run = {&node, node.op, node.module}, .grads = {}, .copies = {}};
  has_bf16_ |= node.autocast == bf16;
  for (const Tensor& g : grads) {
    has_bf16_ |= g.defined() && g.dtype() == bf16;
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
          "{} {}: element {} was {} and is {} after its rule; other operations read the "
          "same memory, so compute into new memory",
          place(*node.op, node.module), writes_text, at->element, at->a_text(), at->b_text());
    copy_into(before, g.detach());
    undone_.push_back(g);
  }
  runs_.push_back(running.run);
  running_.pop_back();
}

void WatchBackward::returned(const Node&, size_t, const Tensor& g) {
  for (const Tensor& written : undone_) returns_what_it_wrote_ |= written.storage() == g.storage();
}

void WatchBackward::contributed(const Node& node, size_t input, const Tensor& g) {
  // a contribution is told while its rule runs, if its kernel adds, or right after
  const bool is_running = !running_.empty() && running_.back().run.node == &node;
  uint64_t& hash = is_running ? running_.back().run.hash : runs_.back().hash;
  const std::vector<double> values = g.detach().to_vector();
  hash = hash * fnv_prime + hash_of(values) + input;
  for (const double v : values) factors_.keep_in_range(std::abs(v), g.dtype());
}

std::string WatchBackward::first_change(const WatchBackward& other) const {
  for (size_t i = 0; i < std::min(runs_.size(), other.runs_.size()); ++i) {
    const Run &a = runs_[i], &b = other.runs_[i];
    if (a.op != b.op || a.hash != b.hash) return place(*a.op, a.module);
  }
  return "";
}

}  // namespace slope
