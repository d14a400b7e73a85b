// What a failing check leaves for the guesses to look at: the derivatives of one input of the call
// that is to blame, as its rule gives them and by differences, beside the values that it met.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct Guess {
  double weight;        // how much speaks for it: 1 is all that there is
  std::string mistake;  // "a wrong sign"
  std::string reason;   // "every one is off by the same factor -1"
};
using Guesses = std::vector<Guess>;

using Evidence = GradcheckCulprit::Input;

inline bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-4 * std::max(std::abs(a), std::abs(b)) + 1e-9;
}
// Whether an element is large enough for its ratio to say something.
inline bool counts(const Evidence& e, size_t i) {
  double largest = 0;
  for (const double v : e.numeric) largest = std::max(largest, std::abs(v));
  for (const double v : e.analytic) largest = std::max(largest, std::abs(v));
  return std::max(std::abs(e.numeric[i]), std::abs(e.analytic[i])) > 1e-4 * largest;
}

// Each adds what it recognises.
void guess_not_finite(const Evidence& e, Guesses& guesses);
void guess_factor(const Evidence& e, Guesses& guesses);  // one ratio for all elements
void guess_power(const Evidence& e, Guesses& guesses);   // a ratio that x, y or g explains
void guess_order(const Evidence& e, Guesses& guesses);   // the right numbers in other places
void guess_part(const Evidence& e, Guesses& guesses);    // some elements right, others not
void guess_term(const Evidence& e, Guesses& guesses);  // a difference that is constant along a dim

}  // namespace slope
