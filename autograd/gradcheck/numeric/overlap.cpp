#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/autograd/gradcheck/numeric/overlap.h>

#include <algorithm>

namespace slope {

namespace {

// The storage offsets of all elements of x.
std::vector<int64_t> places(const Tensor& x) {
  std::vector<int64_t> at{x.layout().offset};
  if (x.numel() == 0) return {};
  for (int64_t d = 0; d < x.rank(); ++d) {
    const size_t before = at.size();
    for (int64_t i = 1; i < x.shape()[d]; ++i)
      for (size_t j = 0; j < before; ++j) at.push_back(at[j] + i * x.strides()[d]);
  }
  std::sort(at.begin(), at.end());
  return at;
}

}  // namespace

bool overlap(const Tensor& a, const Tensor& b) {
  if (!(a.storage() == b.storage()) || a.numel() == 0 || b.numel() == 0) return false;
  const auto [a0, a1] = a.layout().extent();
  const auto [b0, b1] = b.layout().extent();
  if (a1 <= b0 || b1 <= a0) return false;
  const std::vector<int64_t> x = places(a), y = places(b);
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i] == y[j]) return true;
    x[i] < y[j] ? ++i : ++j;
  }
  return false;
}

bool overlaps_itself(const Tensor& x) {
  if (x.is_contiguous()) return false;
  const std::vector<int64_t> at = places(x);
  return std::adjacent_find(at.begin(), at.end()) != at.end();
}

void check_overlaps(const NamedTensors& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [name, x] = inputs[i];
    if (!x.requires_grad()) continue;
    SLOPE_CHECK_AS(Unfit, !overlaps_itself(x),
                   "{} overlaps itself in memory: changing one element changes several; clone() it",
                   name);
    for (size_t j = 0; j < inputs.size(); ++j)
      SLOPE_CHECK_AS(Unfit, j == i || !overlap(x, inputs[j].tensor),
                     "{} and {} overlap in memory: changing one changes the other; clone() one",
                     inputs[std::min(i, j)].name, inputs[std::max(i, j)].name);
  }
}

}  // namespace slope
