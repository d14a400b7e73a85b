// The difference is constant along a dim: a term with a sum or mean over that dim is missing or
// superfluous. Otherwise, ratios without a pattern suggest one wrong term among several.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>

namespace slope {

void guess_term(const Evidence& e, Guesses& guesses) {
  const size_t rank = e.shape.size();
  if (e.numeric.size() < 2 || static_cast<int64_t>(e.numeric.size()) != numel(e.shape)) return;
  for (size_t dim = 0; dim < rank; ++dim) {
    if (e.shape[dim] < 2) continue;
    size_t inner = 1;
    for (size_t d = dim + 1; d < rank; ++d) inner *= static_cast<size_t>(e.shape[d]);
    const auto size = static_cast<size_t>(e.shape[dim]);
    bool is_constant = true, is_multiple = e.y.size() == e.numeric.size();
    for (size_t i = 0; i < e.numeric.size(); ++i) {
      const size_t first = i - i / inner % size * inner;  // first element of the line along dim
      const double a = e.analytic[i] - e.numeric[i], b = e.analytic[first] - e.numeric[first];
      is_constant &= is_near(a, b) && std::abs(b) > 1e-6;
      is_multiple = is_multiple && is_near(a * e.y[first], b * e.y[i]) && std::abs(b) > 1e-6;
    }
    const std::string text =
        fmt::format("a term with a sum or mean over dim {} is missing or wrong", dim);
    if (is_constant)
      guesses.push_back({0.8, text, fmt::format("the difference is constant along dim {}", dim)});
    else if (is_multiple)
      guesses.push_back({0.8, text, fmt::format("the difference goes as y along dim {}", dim)});
  }
}

}  // namespace slope
