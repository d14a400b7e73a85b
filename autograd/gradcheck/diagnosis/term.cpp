// The difference is constant along a dim, or a multiple of x, y or e^y along it: a term with a sum
// or mean over that dim is missing or superfluous.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>

namespace slope {

namespace {

// Whether the difference is, along the dim, a multiple of `factor`.
template <class Factor>
bool is_multiple(const Evidence& e, size_t dim, Factor&& factor) {
  size_t inner = 1;
  for (size_t d = dim + 1; d < e.shape.size(); ++d) inner *= static_cast<size_t>(e.shape[d]);
  const auto size = static_cast<size_t>(e.shape[dim]);
  bool differs = false, varies = false;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = i - i / inner % size * inner;  // first element of the line along dim
    const double a = e.analytic[i] - e.numeric[i], b = e.analytic[first] - e.numeric[first];
    if (!is_near(a * factor(first), b * factor(i))) return false;
    differs |= std::abs(b) > 1e-6;
    varies |= i != first && !is_near(factor(i), 0);
  }
  return differs && varies;
}

// a_i + b_j: constant along one dim after what is constant along another is taken away
bool is_sum_of_two(const Evidence& e) {
  if (e.shape.size() != 2 || e.shape[0] < 3 || e.shape[1] < 3) return false;
  const auto columns = static_cast<size_t>(e.shape[1]);
  const auto d = [&](size_t i, size_t j) {
    return e.analytic[i * columns + j] - e.numeric[i * columns + j];
  };
  bool differs = false;
  for (size_t i = 0; i < static_cast<size_t>(e.shape[0]); ++i)
    for (size_t j = 0; j < columns; ++j) {
      if (std::abs(d(i, j) - d(0, j) - d(i, 0) + d(0, 0)) > 1e-5) return false;
      differs |= std::abs(d(i, j)) > 1e-4;
    }
  return differs;
}

}  // namespace

void guess_term(const Evidence& e, Guesses& guesses) {
  if (e.numeric.size() < 2 || !is_whole(e)) return;
  const bool has_y = e.y.size() == e.numeric.size();
  for (size_t dim = 0; dim < e.shape.size(); ++dim) {
    if (e.shape[dim] < 2) continue;
    const auto add = [&](double weight, const char* reason) {
      guesses.push_back(
          {weight, fmt::format("a term with a sum or mean over dim {} is missing or wrong", dim),
           fmt::format("the difference {} along dim {}", reason, dim)});
    };
    if (is_multiple(e, dim, [](size_t) { return 1.0; }))
      add(0.8, "is constant");
    else if (has_y && is_multiple(e, dim, [&](size_t i) { return e.y[i]; }))
      add(0.8, "goes as y");
    else if (has_y && is_multiple(e, dim, [&](size_t i) { return std::exp(e.y[i]); }))
      add(0.8, "goes as e^y");
    else if (is_multiple(e, dim, [&](size_t i) { return e.x[i]; }))
      add(0.75, "goes as x");
  }
  if (guesses.empty() && is_sum_of_two(e))
    guesses.push_back(
        {0.75, "a term with a sum or mean over the wrong dim",
         "the difference is a part that is constant along dim 0 and one along dim 1"});
}

}  // namespace slope
