// One ratio for all elements. Candidates for the factor: small integers, sizes of dims, numeric
// arguments of the call.
#include <slope/autograd/gradcheck/diagnosis/evidence.h>
#include <slope/autograd/gradcheck/numeric/differences.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

void guess_size(double ratio, int64_t n, const std::string& what, double weight, Guesses& guesses) {
  const auto d = static_cast<double>(n);
  if (n < 2) return;
  const auto add = [&](double factor, const std::string& mistake, double share) {
    if (is_near(ratio, factor))
      guesses.push_back({weight * share, mistake, fmt::format("every ratio is {:.6g}", ratio)});
  };
  const std::string size = fmt::format("{} = {}", what, n);
  add(d, fmt::format("a missing 1/n, or a sum in place of a mean, n = {}", size), 1);
  add(1 / d, fmt::format("an extra 1/n, or a mean in place of a sum, n = {}", size), 1);
  if (n > 2) {
    // where a size is unlikely, the ratio may as well be a wrong constant, such as 2/3 or 3/4
    add((d - 1) / d, fmt::format("n where n - 1 is meant, n = {}", size), weight < 0.6 ? 0.7 : 0.9);
    add(d / (d - 1), fmt::format("n - 1 where n is meant, n = {}", size), weight < 0.6 ? 0.7 : 0.9);
  }
  add(std::sqrt(d), fmt::format("a missing 1/sqrt(d), d = {}", size), n == 4 ? 0.75 : 0.9);
  add(1 / std::sqrt(d), fmt::format("an extra 1/sqrt(d), d = {}", size), n == 4 ? 0.75 : 0.9);
}

// 1/m where 1/n is meant, n and m two sizes.
void guess_other_size(double ratio, int64_t n, int64_t m, const std::string& what, double weight,
                      Guesses& guesses) {
  if (n > 1 && m > 1 && n != m && is_near(ratio, static_cast<double>(n) / static_cast<double>(m)))
    guesses.push_back({weight, fmt::format("1/{} in place of 1/n, n = {} = {}", m, what, n),
                       fmt::format("every ratio is {:.6g}", ratio)});
}

void guess_number(double ratio, const std::string& name, double p, Guesses& guesses) {
  const auto add = [&](double factor, const std::string& mistake) {
    if (std::isfinite(factor) && !is_near(factor, 1) && is_near(ratio, factor))
      guesses.push_back({0.95, mistake, fmt::format("every ratio is {:.6g}", ratio)});
  };
  const std::string value = fmt::format("{} = {:.6g}", name, p);
  if (name == "p" && p > 0 && p < 1) {
    add(1 - p, fmt::format("dropout's scale 1/(1 - p) is missing, {}", value));
    add(1 / (1 - p), fmt::format("dropout's scale 1/(1 - p) twice, {}", value));
    add((1 - p) * (1 - p), fmt::format("dropout's scale is missing twice, {}", value));
    add((1 - p) / p, fmt::format("dropout's scale is 1/p, not 1/(1 - p), {}", value));
  }
  add(p, fmt::format("the number {} once too often", value));
  add(1 / p, fmt::format("the number {} is missing", value));
}

void guess_constant(double ratio, Guesses& guesses) {
  const std::string reason = fmt::format("every one is off by the same factor {:.6g}", ratio);
  const auto add = [&](double weight, const std::string& mistake) {
    guesses.push_back({weight, mistake, reason});
  };
  const double size = std::abs(ratio);
  const std::string sign = ratio < 0 ? "a wrong sign and " : "";
  if (is_near(ratio, -1))
    add(1, "a wrong sign");
  else if (is_near(size, 2))
    add(0.85, sign + "an extra factor 2");
  else if (is_near(size, 0.5))
    add(0.85, sign + "a lost factor 2, or one of two uses is lost");
  else if (size > 1 && is_near(size, std::round(size)))
    add(0.6, fmt::format("{}an extra factor {:.0f}", sign, size));
  else if (size < 1 && is_near(1 / size, std::round(1 / size)))
    add(0.6, fmt::format("{}a lost factor {:.0f}", sign, 1 / size));
  else
    add(0.4, sign + "a wrong constant");
}

// The two likeliest sizes, so that they leave room for a plain constant.
void guess_sizes(const Evidence& e, double ratio, int64_t counted, Guesses& guesses) {
  // an operation that keeps the shape, or repeats elements, rarely divides by a size
  const double weight = numel(e.output_shape) < numel(e.shape) ? 0.8 : 0.55;
  const size_t rank = e.shape.size();
  Guesses found;
  for (size_t d = 0; d < rank; ++d)
    for (const int64_t m : e.shape)
      guess_other_size(ratio, e.shape[d], m, fmt::format("dim {}", d),
                       weight < 0.6 ? 0.7 * weight : weight, found);
  for (size_t d = 0; d < rank; ++d)
    guess_size(ratio, e.shape[d], fmt::format("dim {}", d), weight, found);
  for (size_t d = 0; d < rank; ++d) {  // dims that a mean takes together
    int64_t together = e.shape[d];
    for (size_t last = d + 1; last < rank; ++last) {
      together *= e.shape[last];
      guess_size(ratio, together,
                 last - d + 1 == rank ? "all elements" : fmt::format("dims {} to {}", d, last),
                 weight, found);
    }
  }
  if (is_whole(e) && counted < numel(e.shape))
    guess_other_size(ratio, counted, numel(e.shape), "the elements that count", 0.9, found);
  for (const int64_t size : e.other_sizes)
    guess_size(ratio, size, "a dim of another tensor", 0.9 * weight, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Guess& a, const Guess& b) { return a.weight > b.weight; });
  if (found.size() > 2) found.resize(2);
  guesses.insert(guesses.end(), found.begin(), found.end());
}

}  // namespace

void guess_factor(const Evidence& e, Guesses& guesses) {
  double both = 0, squares = 0;  // analytic = ratio numeric, by least squares: float32 makes noise
  int64_t counted = 0;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    if (!counts(e, i)) continue;
    ++counted;
    both += e.analytic[i] * e.numeric[i];
    squares += e.numeric[i] * e.numeric[i];
  }
  const double ratio = both / squares, noise = std::abs(ratio) * doubt * e.error;
  if (!std::isfinite(ratio) || is_near(ratio, 1)) return;
  for (size_t i = 0; i < e.numeric.size(); ++i) {
    const double a = e.analytic[i], b = ratio * e.numeric[i];
    if (counts(e, i) && std::abs(a - b) > noise && !is_near(a, b)) return;
  }
  if (is_near(ratio, 0)) {
    guesses.push_back({0.9, "the rule gives 0 where the function changes: a lost term",
                       "every derivative should be other than 0"});
    return;
  }
  guess_constant(ratio, guesses);
  guess_sizes(e, ratio, counted, guesses);
  for (const auto& [name, value] : e.numbers) guess_number(ratio, name, value, guesses);
}

}  // namespace slope
