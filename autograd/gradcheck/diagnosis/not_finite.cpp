#include <slope/autograd/gradcheck/diagnosis/evidence.h>

#include <algorithm>
#include <cmath>

namespace slope {

void guess_not_finite(const Evidence& e, Guesses& guesses) {
  const auto bad = std::count_if(e.analytic.begin(), e.analytic.end(),
                                 [](double v) { return !std::isfinite(v); });
  if (bad > 0)
    guesses.push_back(
        {1, "0/0 or 0 times infinity in the rule: a missing guard",
         fmt::format("backward gives nan or infinity for {} of {}, where the function "
                     "is smooth",
                     bad, e.analytic.size())});
  else if (std::all_of(e.numeric.begin(), e.numeric.end(), [](double v) { return v == 0; }))
    guesses.push_back(
        {1, "the rule should give 0", "the function does not change with these elements"});
}

}  // namespace slope
