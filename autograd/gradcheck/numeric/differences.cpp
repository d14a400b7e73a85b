#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/autograd/gradcheck/numeric/noise.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace slope {

double Tolerance::of(double value) const { return atol + rtol * std::abs(value); }
bool Tolerance::agree(double a, double b) const { return std::abs(a - b) <= of(b); }

bool Derivative::agrees(double analytic, const Tolerance& tolerance) const {
  return std::abs(analytic - value) <= tolerance.of(value) + doubt * error + hidden;
}
bool Derivative::may_be_kinks(double analytic, const Tolerance& tolerance) const {
  const double margin = tolerance.of(value);
  return kind == Kind::smooth && analytic >= least - margin && analytic <= most + margin;
}
bool Derivative::is_known(const Tolerance& tolerance) const {
  return error <= std::max(tolerance.of(value), close_enough * std::abs(value));
}

namespace {

constexpr double largest_step = 0.3;    // times max(1, |x|)
constexpr double smallest_eps = 1e-10;  // float64's rounding is then as large as differences
constexpr double largest_noise = 0.01;  // times L's scale: more is not rounding, L itself varies
constexpr size_t beside_jump = 6;       // rungs on which both sides of a jump must be smooth

// The largest of the changes from the left to x, from x to the right, and from the left to the
// right.
double largest_change(const Rung& r) {
  const double left = r.here.value - r.left.value, right = r.right.value - r.here.value;
  return std::max({std::abs(left), std::abs(right), std::abs(left + right)});
}

// Whether L jumps at x itself: it changes far more across a tiny step than on either side. What is
// noisy changes everywhere, and the jumps of rounding are at x only by chance.
bool jumps_here(const Losses& losses, const std::vector<Rung>& ladder) {
  const LossAt& here = ladder[0].here;
  const double rounding = std::numeric_limits<double>::epsilon() * here.scale + here.rounding;
  const auto is_jump = [&](const Rung& across) {
    double beside = 16 * rounding;
    for (size_t m = 0; m < std::min(ladder.size(), beside_jump); ++m)
      beside = std::max({beside, std::abs(ladder[m].left.value - across.left.value),
                         std::abs(ladder[m].right.value - across.right.value)});
    return largest_change(across) > 4 * beside;
  };
  if (!is_jump(ladder[0])) return false;
  const double tiny = ladder[0].right.step * 0x1p-16;
  const Rung across{losses(-tiny), here, losses(tiny)};
  return !across.has_both_sides() || is_jump(across);
}

Derivative jump_of(const std::vector<Rung>& ladder) {
  const Rung &near = ladder[0], &far = ladder[std::min(ladder.size(), beside_jump) - 1];
  const auto slope = [](const LossAt& a, const LossAt& b) {
    return (b.value - a.value) / (b.step - a.step);
  };
  return {.kind = Derivative::Kind::jump,
          .step = near.right.step,
          .left = slope(far.left, near.left),
          .right = slope(near.right, far.right),
          .height = largest_change(near)};
}

// Steps of which each is 4 times the previous, as far as L is finite and x moves to both sides.
std::vector<Rung> ladder_of(const Losses& losses, const Close& at, double first, double x) {
  std::vector<Rung> ladder{{at[fine - 1], at[fine], at[fine + 1]},
                           {at.front(), at[fine], at.back()}};
  for (double h = 16 * first; h < largest_step * std::max(1.0, std::abs(x)); h *= 4) {
    ladder.push_back({losses(-h), at[fine], losses(h)});
    if (!ladder.back().is_finite()) {
      ladder.pop_back();
      break;
    }
  }
  std::erase_if(ladder, [](const Rung& r) { return !r.has_both_sides(); });
  return ladder;
}

// Whether the gap is that of curvature, which grows as the step does: 4 times.
bool is_curved(const Rung& near, const Rung& far) {
  return std::abs(far.gap() - 4 * near.gap()) < 0.3 * near.gap();
}

// What noise adds to a difference.
double error_of(double noise, const Rung& r) { return sure * noise / r.step(); }

// Richardson's extrapolation from each two neighbours; the one with the smallest error.
Derivative extrapolate(const std::vector<Rung>& ladder, double noise, double hidden_change) {
  Derivative best{.error = INFINITY, .noise = noise};
  double before = ladder[0].central();
  for (size_t m = 1; m < ladder.size(); ++m) {
    const double value = (16 * ladder[m - 1].central() - ladder[m].central()) / 15;
    const double error = std::abs(value - before) + error_of(noise, ladder[m - 1]);
    // A value that the smaller steps rule out tells how L behaves elsewhere, not at x.
    if (std::abs(value - best.value) > doubt * (error + best.error)) break;
    if (error < best.error) {
      best.value = value;
      best.error = error;
      best.step = ladder[m].right.step;
      best.hidden = ladder[m].is_flat() ? hidden_change / best.step : 0;
    }
    before = value;
  }
  return best;
}

Derivative differentiate_with(double eps, const Losses& losses, const LossAt& here, double x,
                              const Tolerance& tolerance) {
  // Why 21: float32 numbers are spaced by powers of two, and a power of two here would round all
  // samples alike.
  const double first = eps / 21;
  if (!(first > 0)) return {.error = INFINITY};  // eps is so small that this is 0
  Close at;
  for (int j = -fine; j <= fine; ++j)
    at[static_cast<size_t>(j + fine)] = j == 0 ? here : losses(j * first);
  for (const LossAt& sample : at)
    if (!std::isfinite(sample.value)) return {.kind = Derivative::Kind::edge, .step = sample.step};

  std::vector<Rung> ladder = ladder_of(losses, at, first, x);
  if (ladder.size() >= 2 && jumps_here(losses, ladder)) return jump_of(ladder);
  const double noise = noise_of(losses, at, ladder);
  double scale = at[fine].scale;
  for (const Rung& r : ladder) scale = std::max({scale, r.left.scale, r.right.scale});
  if (ladder.size() < 2 || noise > largest_noise * scale)
    return {.error = INFINITY, .noise = noise};

  // A kink is looked for at the smallest step whose noise is negligible, or else at the largest but
  // one.
  size_t start = 0;
  while (start + 2 < ladder.size() &&
         error_of(noise, ladder[start]) > tolerance.of(ladder[start].central()))
    ++start;
  const Rung near = ladder[start], far = ladder[start + 1];
  const double left = near.from_left(), right = near.from_right();
  if (near.gap() > 0.5 * far.gap() && near.gap() > 2 * error_of(noise, near) &&
      near.gap() > 10 * tolerance.of(std::max(std::abs(left), std::abs(right)))) {
    // At a kink the gap stays; beside one, and where L is curved, it shrinks with the step, as far
    // as the noise shows.
    const auto stays = [&](const Rung& r) {
      return r.gap() + 2 * error_of(noise, r) > 0.5 * near.gap();
    };
    size_t smaller = start;  // the steps before this one are too small for the gap
    while (smaller > 0 && stays(ladder[smaller - 1])) --smaller;
    if (smaller == 0)
      return {.kind = Derivative::Kind::kink,
              .step = near.right.step,
              .noise = noise,
              .left = left,
              .right = right};
    ladder.resize(smaller);  // larger steps tell how L behaves elsewhere
  }

  Derivative d = extrapolate(ladder, noise, std::max(f32_rounding * scale, 2 * at[fine].rounding));
  d.left = left;
  d.right = right;
  d.least = d.most = d.value;
  if (start + 2 >= ladder.size()) return d;
  const std::span<const Rung> sides(&ladder[start], 3);
  if (is_curved(sides[0], sides[1]) && is_curved(sides[1], sides[2])) return d;
  for (const Rung& r : sides) {
    d.least = std::min({d.least, r.from_left(), r.from_right()});
    d.most = std::max({d.most, r.from_left(), r.from_right()});
  }
  return d;
}

}  // namespace

Derivative differentiate(const Losses& losses, double x, double eps, const Tolerance& tolerance,
                         double expected) {
  const auto is_sure = [&](const Derivative& d) {
    return d.kind == Derivative::Kind::smooth && d.error <= tolerance.of(d.value);
  };
  const LossAt here = losses(0);
  Derivative best = differentiate_with(eps, losses, here, x, tolerance);
  if (is_sure(best) && best.agrees(expected, tolerance)) return best;
  // What is beside x, a kink or a bend, may have misled these differences. Smaller steps tell,
  // unless L is rounded to less than float64.
  const bool may_be_misled =
      best.kind == Derivative::Kind::kink || best.kind == Derivative::Kind::smooth;
  if (!may_be_misled || here.rounding > 0) return best;
  for (double smaller = eps / 16; smaller > smallest_eps; smaller /= 16) {
    // two calls of L tell whether more are worth it
    const double plain = Rung{losses(-smaller), here, losses(smaller)}.central();
    const bool tells_the_same = std::abs(plain - best.value) <= std::abs(plain - expected);
    if (is_sure(best) && tells_the_same) continue;
    const Derivative d = differentiate_with(smaller, losses, here, x, tolerance);
    // L moves with larger steps, but not with so small ones
    const bool is_stair = d.value == 0 && best.kind == Derivative::Kind::smooth &&
                          std::abs(best.value) > tolerance.atol + doubt * best.error;
    if (!is_sure(d) || is_stair || d.hidden > tolerance.of(d.value)) continue;
    if (d.agrees(expected, tolerance)) return d;
    if (!is_sure(best)) best = d;
  }
  return best;
}

}  // namespace slope
