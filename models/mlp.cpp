#include <slope/models/mlp.h>

#include <cmath>
#include <numbers>

namespace slope::mlp {

TwoMoons two_moons(int64_t n, double noise) {
  Tensor points = Tensor::empty({n, 2}), labels = Tensor::empty({n, 1});
  const RandomSite site = generator().next_site();
  const int64_t upper = n / 2;
  const auto p = points.write<float>();
  const auto l = labels.write<float>();
  for (int64_t i = 0; i < n; ++i) {
    const bool lower = i >= upper;
    const double angle = std::numbers::pi * static_cast<double>(lower ? i - upper : i) / static_cast<double>(lower ? n - upper : upper);
    p[2 * i] = static_cast<float>((lower ? 1 - std::cos(angle) : std::cos(angle)) + noise * normal(site, 2 * i));
    p[2 * i + 1] = static_cast<float>((lower ? 0.5 - std::sin(angle) : std::sin(angle)) + noise * normal(site, 2 * i + 1));
    l[i] = lower ? 1.0f : 0.0f;
  }
  return {points, labels};
}

}  // namespace slope::mlp
