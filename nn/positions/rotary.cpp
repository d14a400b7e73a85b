#include <slope/autograd/ops.h>
#include <slope/nn/positions/rotary.h>
#include <slope/nn/transformer/heads.h>

#include <cmath>

namespace slope::nn {

Tensor rotate(const Tensor& x, const Rotation& r) {
  const int64_t half = x.size(-1) / 2;
  const Tensor turned = cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  return x * r.cos + turned * r.sin;
}

// f of the angles: (positions, D)
static Tensor table(int64_t positions, int64_t D, double theta, double (*f)(double)) {
  SLOPE_CHECK_SHAPE(D > 0 && D % 2 == 0,
                    "RotaryPositions: the number of channels must be even and above 0, got {}", D);
  check_table("RotaryPositions", positions, D);
  std::vector<float> values;
  for (int64_t t = 0; t < positions; ++t)
    for (int64_t c = 0; c < D; ++c) {
      const double i = static_cast<double>(c % (D / 2));
      const double angle =
          static_cast<double>(t) * std::pow(theta, -2 * i / static_cast<double>(D));
      values.push_back(static_cast<float>(f(angle)));
    }
  return from_vector(values, {positions, D});
}

RotaryPositions::RotaryPositions(int64_t positions, int64_t D, double theta)
    : cos(table(positions, D, theta, std::cos), Saved::no),
      sin(table(positions, D, theta, std::sin), Saved::no), theta(theta) {}

Rotation RotaryPositions::at(int64_t first, int64_t length) const {
  check_positions(length, cos.size(0), "RotaryPositions", first);
  return {cos.narrow(0, first, length), sin.narrow(0, first, length)};
}

}  // namespace slope::nn
