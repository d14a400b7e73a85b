// What the guesses are made from: the derivatives of one input of the call to blame, by its rule
// and by differences, and the values at which it was checked.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

namespace slope {

struct Guess {
  double weight;        // how strong the evidence is, at most 1
  std::string mistake;  // "a wrong sign"
  std::string reason;   // "every one is off by the same factor -1"
};
using Guesses = std::vector<Guess>;

using Evidence = GradcheckCulprit::Input;

inline bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-4 * std::max(std::abs(a), std::abs(b)) + 1e-9;
}
inline bool is_wrong(const Evidence& e, size_t i) { return !is_near(e.analytic[i], e.numeric[i]); }
// The index along a dim of element number i of a tensor of this shape.
inline int64_t index_along(const Dims& shape, size_t dim, int64_t i) {
  for (size_t d = shape.size(); --d > dim;) i /= shape[d];
  return i % shape[dim];
}
// The lines along a dim of a tensor of this shape: how far apart a line's elements lie, how many
// they are, and which is the first on the line of element i.
struct Lines {
  size_t apart = 1, size;
  Lines(const Dims& shape, size_t dim) : size(static_cast<size_t>(shape[dim])) {
    for (size_t d = dim + 1; d < shape.size(); ++d) apart *= static_cast<size_t>(shape[d]);
  }
  size_t begin(size_t i) const { return i - i / apart % size * apart; }
};
// Whether all elements were checked: then the lists have them in the input's order.
inline bool is_whole(const Evidence& e) {
  return static_cast<int64_t>(e.numeric.size()) == numel(e.shape);
}
// Whether an element is large enough for its ratio to be meaningful.
inline bool counts(const Evidence& e, size_t i) {
  double largest = 0;
  for (const double v : e.numeric) largest = std::max(largest, std::abs(v));
  for (const double v : e.analytic) largest = std::max(largest, std::abs(v));
  return std::max(std::abs(e.numeric[i]), std::abs(e.analytic[i])) > 1e-4 * largest;
}
// How often an elementwise operation would repeat the input to fill the output's shape.
int64_t repeats(const Evidence& e);
bool has_one_ratio(const Evidence& e);
// Whether its last two dims have the same size, so that shapes do not show a missing transposition.
bool is_square(const Evidence& e);

// Each adds what it recognises.
void guess_not_finite(const Evidence& e, Guesses& guesses);
void guess_factor(const Evidence& e, Guesses& guesses);     // one ratio for all elements
void guess_power(const Evidence& e, Guesses& guesses);      // a ratio that x, y or g explains
void guess_lost_term(const Evidence& e, Guesses& guesses);  // what the rule lacks is recognised
void guess_order(const Evidence& e, Guesses& guesses);      // the right numbers in other places
void guess_part(const Evidence& e, Guesses& guesses);       // some elements right, others wrong
void guess_term(const Evidence& e, Guesses& guesses);  // a difference that is constant along a dim
void guess_sums(const Evidence& e, Guesses& guesses);  // one sum over a dim too many or too few
void guess_jacobian(const Evidence& e, Guesses& guesses);         // which outputs an element moves
void guess_without_pattern(const Evidence& e, Guesses& guesses);  // what shapes suggest

}  // namespace slope
