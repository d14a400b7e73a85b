#include <slope/autograd/gradcheck/numeric/noise.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace slope {

namespace {

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Estimates the noise from the second differences of close samples, less their median, which is the
// curvature. A smooth function leaves nothing; a kink leaves one or two, side by side and of one
// sign.
double noise_nearby(const Close& at) {
  std::vector<double> second;
  for (size_t j = 1; j + 1 < at.size(); ++j) {
    const double width = at[j + 1].step - at[j - 1].step,  // in float32 steps are not all alike
        left = width > 0 ? (at[j].step - at[j - 1].step) / width : 0.5;
    second.push_back(2 * ((1 - left) * at[j - 1].value + left * at[j + 1].value - at[j].value));
  }
  const double curvature = median(second);
  double all = 0, inside = 0, sum = 0;  // squares: of all, of the three side by side with the most
  for (size_t j = 0; j < second.size(); ++j) {
    const auto left = [&](size_t i) { return second[i] - curvature; };
    all += left(j) * left(j);
    if (j < 2) continue;
    const double a = left(j - 2), b = left(j - 1), c = left(j), squares = a * a + b * b + c * c;
    if (squares > inside) inside = squares, sum = a + b + c;
  }
  const double outside = all - inside;
  // a sum of equal signs is at least the root of the squares' sum; opposite signs cancel
  const bool is_kink = sum * sum > 0.99 * all && outside < 0.0025 * all;
  const double n = static_cast<double>(second.size());
  // the second difference of noise has six times the noise's variance
  const double found = std::sqrt((is_kink ? outside / (n - 3) : all / n) / 6);
  return std::max(
      {found, std::numeric_limits<double>::epsilon() * at[fine].scale, at[fine].rounding});
}

// How far the differences of `near` are from what those of the next two steps predict: the curves
// a h + b h^3 (odd) and a h^2 + b h^4 (even) go through these two and are evaluated at near's step.
double misfit(const Rung& near, const Rung& middle, const Rung& far) {
  return std::max(std::abs(near.odd() - (17 * middle.odd() - far.odd() / 4) / 64),
                  std::abs(near.even() - (17 * middle.even() - far.even() / 16) / 256));
}

// The height of a jump of L between two steps, found by halving; 0 if none exceeds `least`.
double jump(const Losses& losses, double from, double to, double least) {
  const double narrow = (to - from) * 0x1p-16;
  struct Place {
    LossAt at;
    double width, change;  // of L over this width from here
    double slope() const { return change / width; }
  };
  const auto look = [&](double step) {
    const LossAt at = losses(step);
    LossAt next = losses(step + narrow);
    for (double w = 2 * narrow; next.step <= at.step && w < to - from; w *= 2)
      next = losses(step + w);  // float32 does not move by less
    return Place{at, next.step - at.step, next.value - at.value};
  };
  // the distance of L's change from that of a parabola with the slopes at both ends
  const auto excess = [](const Place& a, const Place& b) {
    return std::abs(b.at.value - a.at.value -
                    (b.at.step - a.at.step) * (a.slope() + b.slope()) / 2);
  };
  // a kink changes by less than this over so small a width
  const auto of_kink = [](const Place& a, const Place& b, double width) {
    return 4 * width * std::abs(b.slope() - a.slope());
  };
  Place a = look(from), b = look(to);
  while (b.at.step - a.at.step > 4 * std::max(a.width, b.width)) {
    const Place middle = look((a.at.step + b.at.step) / 2);
    if (!(middle.at.step > a.at.step && middle.at.step < b.at.step)) break;
    const double hit = std::abs(middle.change - middle.width * (a.slope() + b.slope()) / 2);
    if (hit > std::max(least, of_kink(a, b, 4 * middle.width))) return hit;
    (excess(a, middle) > excess(middle, b) ? b : a) = middle;
  }
  const double found = excess(a, b);
  return found > std::max(least, of_kink(a, b, b.at.step - a.at.step)) ? found : 0;
}

}  // namespace

double noise_of(const Losses& losses, const Close& close, const std::vector<Rung>& ladder) {
  double noise = noise_nearby(close);
  int unexplained = 0;  // misfits without a jump
  for (size_t m = 2; m < ladder.size(); ++m) {
    const double off = misfit(ladder[m - 2], ladder[m - 1], ladder[m]);
    if (!(off > sure * noise)) continue;
    const double least = std::max(off / 64, 2 * sure * noise),
                 left = jump(losses, ladder[m].left.step, 0, least),
                 right = jump(losses, 0, ladder[m].right.step, least),
                 height = std::max(left, right);
    if (height == 0) {
      // A kink or curvature, which larger steps show even more. One small misfit may also be noise
      // that was estimated too low.
      if (off > 64 * noise || ++unexplained > 1) break;
      continue;
    }
    // A jump on one side only, larger than rounding to float32 causes, is the function's own.
    if (std::min(left, right) == 0 && height > 8 * f32_rounding * ladder[m].here.scale) continue;
    noise = std::max(noise, height / 2);
    if (off > 16 * height) break;  // the jump explains little of the misfit: L is curved too
    noise = std::max(noise, off / 2);
  }
  return noise;
}

}  // namespace slope
