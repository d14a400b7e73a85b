// The difference analytic - numeric is constant along a dim, or a multiple of x, y or e^y along it:
// a term with a sum or mean over that dim is missing or superfluous.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>

namespace slope {

namespace {

// Whether the difference is, along the dim, a multiple of `factor`.
template <class Factor>
bool is_multiple(const Evidence& e, size_t dim, Factor&& factor) {
  const Lines lines(e.shape, dim);
  // if the derivative itself goes as the factor, a wrong constant explains the difference as well
  bool differs = false, varies = false, is_itself = true;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = lines.begin(i);  // first element of the line along dim
    const double a = e.analytic[i] - e.numeric[i], b = e.analytic[first] - e.numeric[first];
    if (!is_near(a * factor(first), b * factor(i))) return false;
    differs |= std::abs(b) > 1e-6;
    varies |= i != first && !is_near(factor(i), 0);
    is_itself &= is_near(e.numeric[i] * factor(first), e.numeric[first] * factor(i));
  }
  return differs && varies && !is_itself;
}

// Whether the difference is, along the dim, a constant plus a multiple of `at`: two terms are lost.
bool is_line_in(const std::vector<double>& at, const Evidence& e, size_t dim) {
  if (e.shape[dim] < 4) return false;
  const Lines lines(e.shape, dim);
  bool is_itself = true;
  // the area of the triangle of three points on a line is 0
  const auto area = [&](auto&& v, size_t a, size_t b, size_t c) {
    const double first = (v(b) - v(a)) * (at[c] - at[a]), second = (v(c) - v(a)) * (at[b] - at[a]);
    return std::pair{first, second};
  };
  const auto difference = [&](size_t i) { return e.analytic[i] - e.numeric[i]; };
  const auto numeric = [&](size_t i) { return e.numeric[i]; };
  const auto is_flat = [](const std::pair<double, double>& p) {
    return std::abs(p.first - p.second) <=
           1e-4 * std::max(std::abs(p.first), std::abs(p.second)) + 1e-7;
  };
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const size_t first = lines.begin(i);
    if (i == first || i == first + lines.apart) continue;
    if (!is_flat(area(difference, first, first + lines.apart, i))) return false;
    is_itself &= is_flat(area(numeric, first, first + lines.apart, i));
  }
  return !is_itself;
}

// Whether the difference is (a_i + b_j) times the factor: two parts, each constant along one dim.
template <class Factor>
bool is_sum_of_two(const Evidence& e, Factor&& factor) {
  if (e.shape.size() != 2 || e.shape[0] < 3 || e.shape[1] < 3) return false;
  const auto columns = static_cast<size_t>(e.shape[1]);
  const auto d = [&](size_t i, size_t j) {
    const size_t at = i * columns + j;
    return (e.analytic[at] - e.numeric[at]) / factor(at);
  };
  bool differs = false;
  for (size_t i = 0; i < static_cast<size_t>(e.shape[0]); ++i)
    for (size_t j = 0; j < columns; ++j) {
      const double rest = d(i, j) - d(0, j) - d(i, 0) + d(0, 0);
      if (!(std::abs(rest * factor(i * columns + j)) <= 1e-5)) return false;
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
  for (size_t dim = 0; dim < e.shape.size(); ++dim)
    for (const char* v : {"y", "x"})
      if ((*v == 'x' || has_y) && is_line_in(*v == 'x' ? e.x : e.y, e, dim)) {
        guesses.push_back(
            {0.79,
             fmt::format("a term with a sum or mean over dim {} is missing, and another", dim),
             fmt::format("the difference is a constant and a multiple of {} along dim {}", v,
                         dim)});
        break;
      }
  const auto one = [](size_t) { return 1.0; };
  const auto y = [&](size_t i) { return e.y[i]; };
  const auto power = [&](size_t i) { return std::exp(e.y[i]); };
  if (guesses.empty() &&
      (is_sum_of_two(e, one) || (has_y && (is_sum_of_two(e, y) || is_sum_of_two(e, power)))))
    guesses.push_back(
        {0.75, "a term with a sum or mean over the wrong dim",
         "the difference has a part that is constant along dim 0 and one along dim 1"});
}

}  // namespace slope
