#include <slope/autograd/gradcheck/numeric/differences.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace slope {

double Tolerance::of(double value) const { return atol + rtol * std::abs(value); }
bool Tolerance::agree(double a, double b) const { return std::abs(a - b) <= of(b); }

namespace {

constexpr int fine = 4;                // samples at -4 … 4 times the first step
constexpr double largest_step = 0.01;  // times max(1, |x|)
constexpr double sure = 4;             // what exceeds this many times the noise is not noise

struct Rung {
  LossAt left, here, right;
  double step() const { return right.step - left.step; }
  double central() const { return (right.value - left.value) / step(); }
  double from_left() const { return (here.value - left.value) / -left.step; }
  double from_right() const { return (right.value - here.value) / right.step; }
  double gap() const { return std::abs(from_right() - from_left()); }
  bool is_finite() const { return std::isfinite(left.value) && std::isfinite(right.value); }
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

using Close = std::array<LossAt, 2 * fine + 1>;

// The noise of L, from second differences of close samples. For a smooth function nothing is left
// of them after their median, the curvature, is subtracted. A kink at x leaves one or two of one
// sign in the middle, and nothing else.
double noise_of(const Close& at) {
  std::vector<double> second;
  for (size_t j = 1; j + 1 < at.size(); ++j)
    second.push_back(at[j + 1].value - 2 * at[j].value + at[j - 1].value);
  const double curvature = median(second);
  double inside = 0, outside = 0, all = 0;  // signed sum of the middle three; sums of squares
  for (size_t j = 0; j < second.size(); ++j) {
    const double d = second[j] - curvature;
    const bool is_middle = j + 1 >= fine - 1 && j + 1 <= fine + 1;
    inside += is_middle ? d : 0;
    outside += is_middle ? 0 : d * d;
    all += d * d;
  }
  // a sum of equal signs is at least the root of the squares' sum; opposite signs cancel
  const bool is_kink = inside * inside > 0.99 * all && outside < 0.0025 * all;
  const double n = static_cast<double>(second.size());
  // the second difference of noise has six times the noise's variance
  const double found = std::sqrt((is_kink ? outside / (n - 3) : all / n) / 6);
  return std::max(found, std::numeric_limits<double>::epsilon() * at[fine].scale);
}

// If L is rounded so coarsely that small steps change nothing, the first change on both sides is
// the noise.
double quantum(const std::vector<Rung>& ladder) {
  for (size_t m = 0; m < ladder.size(); ++m) {
    const double left = std::abs(ladder[m].left.value - ladder[m].here.value),
                 right = std::abs(ladder[m].right.value - ladder[m].here.value);
    if (left > 0 && right > 0) return m > 1 ? std::max(left, right) : 0;
    if (m < 2 && (left > 0 || right > 0)) return 0;
  }
  return 0;
}

}  // namespace

Derivative differentiate(const Losses& losses, double x, double eps, const Tolerance& tolerance) {
  const double first = eps / 16;
  Close at;
  for (int j = -fine; j <= fine; ++j) at[static_cast<size_t>(j + fine)] = losses(j * first);
  for (const LossAt& sample : at)
    if (!std::isfinite(sample.value)) return {.kind = Derivative::Kind::edge, .step = sample.step};

  std::vector<Rung> ladder{{at[fine - 1], at[fine], at[fine + 1]},
                           {at.front(), at[fine], at.back()}};
  for (double h = 16 * first; h < largest_step * std::max(1.0, std::abs(x)); h *= 4) {
    ladder.push_back({losses(-h), at[fine], losses(h)});
    if (!ladder.back().is_finite()) {
      ladder.pop_back();
      break;
    }
  }
  std::erase_if(ladder, [](const Rung& r) { return !(r.left.step < 0 && r.right.step > 0); });
  const double noise = std::max(noise_of(at), quantum(ladder));
  const auto noise_at = [&](size_t m) { return sure * noise / ladder[m].step(); };

  // the first step at which noise is negligible, or the largest step
  size_t start = 0;
  while (start + 2 < ladder.size() && noise_at(start) > tolerance.of(ladder[start].central()))
    ++start;
  if (start + 1 >= ladder.size()) return {.error = INFINITY, .noise = noise};
  const Rung &near = ladder[start], &far = ladder[start + 1];
  if (near.gap() > 0.5 * far.gap() && near.gap() > 2 * noise_at(start) &&
      near.gap() >
          10 * tolerance.of(std::max(std::abs(near.from_left()), std::abs(near.from_right()))))
    return {.kind = Derivative::Kind::kink,
            .step = near.right.step,
            .noise = noise,
            .left = near.from_left(),
            .right = near.from_right()};

  Derivative best{.error = INFINITY, .noise = noise};
  double before = near.central();
  for (size_t m = start + 1; m < ladder.size(); ++m) {
    const double value = (16 * ladder[m - 1].central() - ladder[m].central()) / 15;
    const double error = std::abs(value - before) + noise_at(m - 1);
    if (error < best.error) {
      best.value = value;
      best.error = error;
      best.step = ladder[m].right.step;
    }
    before = value;
  }
  return best;
}

}  // namespace slope
