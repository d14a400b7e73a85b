#include <slope/optim/strong_wolfe.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace slope::optim {

namespace {

// Where the cubic with the values and slopes of a and b is smallest, clamped to [least, most].
double cubic_minimum(const LinePoint& a, const LinePoint& b, double least, double most) {
  const auto& [x1, f1, g1, unused1] = a.t <= b.t ? a : b;
  const auto& [x2, f2, g2, unused2] = a.t <= b.t ? b : a;
  const double d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2), square = d1 * d1 - g1 * g2;
  if (!(square >= 0)) return (least + most) / 2;
  const double d2 = std::sqrt(square);
  return std::min(std::max(x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2)), least), most);
}

}  // namespace

LineResult strong_wolfe(const std::function<LinePoint(double t)>& at, const LinePoint& start,
                        double t, double longest, const LineSearch& o) {
  const auto too_high = [&](const LinePoint& x) {
    return x.f > start.f + o.c1 * x.t * start.slope;
  };
  const auto flat = [&](const LinePoint& x) { return std::abs(x.slope) <= -o.c2 * start.slope; };

  // Walk on until two points enclose a minimum.
  LinePoint now = at(t), before = start;
  int64_t evaluations = 1, n = 0;
  LinePoint low = start, high = start;
  bool enclosed = false;
  for (; n < o.max_evaluations; ++n) {
    if (too_high(now) || (n > 1 && now.f >= before.f) || (!flat(now) && now.slope >= 0)) {
      low = before;
      high = now;
      enclosed = true;
      break;
    }
    if (flat(now)) return {now, evaluations};
    const double next = cubic_minimum(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10);
    before = std::move(now);
    now = at(next);
    ++evaluations;
  }
  if (!enclosed) {
    low = start;
    high = now;
  }
  if (low.f > high.f) std::swap(low, high);

  // Move the two points closer together, keeping the lower one.
  bool slow = false;
  while (enclosed && n < o.max_evaluations) {
    const double left = std::min(low.t, high.t), right = std::max(low.t, high.t);
    if ((right - left) * longest < o.tolerance_change) break;
    t = cubic_minimum(low, high, left, right);
    // too near an end twice in a row, or beyond it: move t a tenth of the way inside
    const double tenth = 0.1 * (right - left);
    if (std::min(right - t, t - left) < tenth) {
      const bool move = slow || t >= right || t <= left;
      if (move) t = std::abs(t - right) < std::abs(t - left) ? right - tenth : left + tenth;
      slow = !move;
    } else {
      slow = false;
    }
    now = at(t);
    ++evaluations;
    ++n;
    if (too_high(now) || now.f >= low.f) {
      high = now;
      if (low.f > high.f) std::swap(low, high);
      continue;
    }
    const bool done = flat(now);
    if (!done && now.slope * (high.t - low.t) >= 0) high = low;
    low = now;
    if (done) break;
  }
  return {low, evaluations};
}

}  // namespace slope::optim
