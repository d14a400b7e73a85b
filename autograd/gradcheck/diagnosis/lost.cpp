// A term of the derivative is lost, element by element: the rule differentiates only one factor of
// a product, or it lacks a multiple of g times powers of x and y.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <cmath>

namespace slope {

namespace {

// Whether a = c b for all elements, with c other than 0.
template <class A, class B>
bool is_proportional(const Evidence& e, A&& a, B&& b) {
  double c = NAN;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    if (!counts(e, i)) continue;
    if (!std::isfinite(b(i)) || is_near(b(i), 0)) return false;
    if (std::isnan(c)) c = a(i) / b(i);
    // a(i) may be a small difference of two numbers, in which noise weighs more
    if (!(std::abs(a(i) - c * b(i)) <= 1e-4 * std::abs(a(i)) + 1e-8)) return false;
  }
  return std::abs(c) > 1e-3;
}

}  // namespace

void guess_lost_term(const Evidence& e, Guesses& guesses) {
  if (e.y.size() != e.numeric.size() || e.numeric.size() < 4 || has_one_ratio(e)) return;
  bool is_quotient = true;
  for (size_t i = 0; i < e.numeric.size(); ++i)
    is_quotient &= is_near(e.analytic[i] * e.x[i], e.g[i] * e.y[i]);
  if (is_quotient)
    guesses.push_back({0.94, "a term is lost: only one factor of a product is differentiated",
                       "the rule gives g y / x"});
  const auto lost = [&](size_t i) { return e.numeric[i] - e.analytic[i]; };
  struct Term {
    const char* name;
    double x, y;
  };
  for (const Term& term :
       {Term{"g", 0, 0}, Term{"g x", 1, 0}, Term{"g y", 0, 1}, Term{"g / x", -1, 0}})
    if (is_proportional(e, lost, [&](size_t i) {
          return e.g[i] * std::pow(e.x[i], term.x) * std::pow(e.y[i], term.y);
        }))
      guesses.push_back({0.92, "a term is lost, or one use is lost",
                         fmt::format("what the rule lacks is a multiple of {}", term.name)});
}

}  // namespace slope
