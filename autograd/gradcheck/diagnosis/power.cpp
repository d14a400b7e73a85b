// The ratio is proportional to a product of powers of x, y and g: the rule has a wrong operand or a
// wrong power of one.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <array>
#include <cmath>

namespace slope {

namespace {

constexpr std::array exponents{0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5};
struct Powers {
  double x = 0, y = 0, g = 0;
  // the simplest explanation is the likeliest
  double cost() const {
    return std::abs(x) + std::abs(y) + std::abs(g) + (x != 0) + (y != 0) + (g != 0);
  }
  std::string text(bool positive) const {
    std::string text;
    for (const auto& [name, power] : {std::pair{"x", x}, {"y", y}, {"g", g}}) {
      if (power == 0 || (power > 0) != positive) continue;
      const double p = std::abs(power);
      text += (text.empty() ? "" : " ") + (p == 1     ? std::string(name)
                                           : p == 0.5 ? fmt::format("sqrt {}", name)
                                                      : fmt::format("{}^{:.0f}", name, p));
    }
    return text;
  }
};

}  // namespace

void guess_power(const Evidence& e, Guesses& guesses) {
  if (e.y.size() != e.numeric.size()) return;
  std::vector<size_t> at;
  for (size_t i = 0; i < e.numeric.size(); ++i)
    if (counts(e, i)) at.push_back(i);
  if (at.size() < 3) return;
  const auto explains = [&](const Powers& p) {  // up to a constant; the factor must vary
    const auto factor = [&](size_t i) {
      return std::pow(e.x[i], p.x) * std::pow(e.y[i], p.y) * std::pow(e.g[i], p.g);
    };
    const double c = e.analytic[at[0]] / e.numeric[at[0]] / factor(at[0]);
    bool varies = false;
    for (const size_t i : at) {
      const double r = e.analytic[i] / e.numeric[i];
      if (!std::isfinite(r) || !is_near(r, c * factor(i))) return false;
      varies |= !is_near(factor(i), factor(at[0]));
    }
    return varies;
  };
  Powers best;
  for (const double x : exponents)
    for (const double y : exponents)
      for (const double g : exponents)
        if (const Powers p{x, y, g}; (best.cost() == 0 || p.cost() < best.cost()) && explains(p))
          best = p;
  const std::string above = best.text(true), below = best.text(false);
  if (!above.empty() && !below.empty())
    guesses.push_back({0.9, fmt::format("{} in place of {}", above, below),
                       fmt::format("the ratio goes as {} / ({})", above, below)});
  else if (!above.empty())
    guesses.push_back({0.9, fmt::format("{} once too often, in the wrong power or operand", above),
                       fmt::format("the ratio grows as {}", above)});
  else if (!below.empty())
    guesses.push_back({0.9, fmt::format("{} is missing, or another power or operand", below),
                       fmt::format("the ratio falls as 1/({})", below)});
}

}  // namespace slope
