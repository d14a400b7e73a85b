#include <slope/core/tensor/random.h>
#include <slope/models/data/two_moons.h>

#include <cmath>
#include <numbers>

namespace slope::data {

TwoMoons two_moons(int64_t n, double noise) {
  Tensor points = Tensor::empty({n, 2}), labels = Tensor::empty({n, 1});
  const RandomSite site = generator().next_site();
  const int64_t upper = n / 2;
  const auto p = points.write<float>();
  const auto l = labels.write<float>();
  for (int64_t i = 0; i < n; ++i) {
    const bool lower = i >= upper;
    const int64_t k = lower ? i - upper : i, of = lower ? n - upper : upper;
    const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(of);
    const double x = lower ? 1 - std::cos(angle) : std::cos(angle);
    const double y = lower ? 0.5 - std::sin(angle) : std::sin(angle);
    p[2 * i] = static_cast<float>(x + noise * normal(site, 2 * i));
    p[2 * i + 1] = static_cast<float>(y + noise * normal(site, 2 * i + 1));
    l[i] = lower ? 1.0f : 0.0f;
  }
  return {points, labels};
}

}  // namespace slope::data
