// Evaluates the derivative of a Definition as it is written, "dx = g (1 - y^2)", on numbers:
// juxtaposition multiplies, |x| and <g, y> mean what they mean on paper, functions need no
// parentheses (log sum exp x), and cases are "g where x > 0, else 0". Sums, means and maxima are
// over the dims of the call. Texts in words or with indices are not understood.
#pragma once

#include <slope/core/error.h>
#include <slope/core/tensor/tensor.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace slope {

struct Unreadable : Error {
  using Error::Error;
};

struct Variables {
  std::map<std::string, Tensor> values;  // x, y, g, n, the call's numbers
  Dims dims;                             // over which the call sums
};

// What the text says about one variable: the right-hand side of "dx = …" among "da = …, db = …".
// Empty if it says nothing.
std::string right_side(const std::string& text, const std::string& variable);

// `where` may define more names: ", s = sigmoid", ", k = sqrt(2 / pi)". Throws Unreadable.
Tensor evaluate_text(const std::string& expression, const std::string& where, Variables variables);

}  // namespace slope
