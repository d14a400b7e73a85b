// The ratio is proportional to a power of x, y or g: the rule has a wrong operand or a wrong
// power of it.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>

namespace slope {

void guess_power(const Evidence& e, Guesses& guesses) {
  if (e.y.size() != e.numeric.size()) return;
  struct Operand {
    const char* name;
    const std::vector<double>& values;
  };
  const Operand operands[] = {{"x", e.x}, {"y", e.y}, {"g", e.g}};
  std::vector<size_t> at;
  for (size_t i = 0; i < e.numeric.size(); ++i)
    if (counts(e, i)) at.push_back(i);
  if (at.size() < 2) return;
  const auto explains = [&](auto&& factor) {  // up to a constant; the factor must vary
    const double c = e.analytic[at[0]] / e.numeric[at[0]] / factor(at[0]);
    bool varies = false;
    for (const size_t i : at) {
      const double r = e.analytic[i] / e.numeric[i];
      if (!std::isfinite(r) || !is_near(r, c * factor(i))) return false;
      varies |= !is_near(factor(i), factor(at[0]));
    }
    return varies;
  };
  for (const Operand& o : operands) {
    for (const auto& as : {std::pair{1.0, "{}"}, {2.0, "{}^2"}, {0.5, "sqrt({})"}}) {
      const double power = as.first;
      const std::string factor = fmt::format(fmt::runtime(as.second), o.name);
      if (explains([&](size_t i) { return std::pow(o.values[i], power); }))
        guesses.push_back({0.9,
                           fmt::format("{} once too often, in the wrong power or operand", factor),
                           fmt::format("the ratio grows as {}", factor)});
      if (explains([&](size_t i) { return std::pow(o.values[i], -power); }))
        guesses.push_back({0.9, fmt::format("{} is missing, or another power or operand", factor),
                           fmt::format("the ratio falls as 1/{}", factor)});
    }
  }
  for (const Operand& a : operands)
    for (const Operand& b : operands)
      if (&a.values != &b.values && explains([&](size_t i) { return a.values[i] / b.values[i]; }))
        guesses.push_back({0.9, fmt::format("{} in place of {}", a.name, b.name),
                           fmt::format("the ratio goes as {}/{}", a.name, b.name)});
}

}  // namespace slope
