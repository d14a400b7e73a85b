#include <slope/core/tensor/random.h>
#include <slope/models/infer/search/sampling.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace slope::train {

void check(const Sampling& s) {
  SLOPE_CHECK_AS(UsageError, s.temperature >= 0 && std::isfinite(s.temperature),
                 "generate: temperature must be finite and at least 0, got {}", s.temperature);
  SLOPE_CHECK_AS(UsageError, s.top_k >= 0, "generate: top_k must not be negative, got {}", s.top_k);
  SLOPE_CHECK_AS(UsageError, s.top_p > 0 && s.top_p <= 1,
                 "generate: top_p must be above 0 and at most 1, got {}", s.top_p);
  SLOPE_CHECK_AS(UsageError, s.min_p >= 0 && s.min_p <= 1,
                 "generate: min_p must be from 0 to 1, got {}", s.min_p);
  SLOPE_CHECK_AS(UsageError, s.repetition_penalty > 0 && std::isfinite(s.repetition_penalty),
                 "generate: repetition_penalty must be finite and above 0, got {}",
                 s.repetition_penalty);
}

namespace {

using Values = std::vector<double>;

void penalise(Values& logits, std::span<const int64_t> before, double penalty) {
  std::vector<bool> seen(logits.size());
  for (const int64_t token : before) seen[static_cast<size_t>(token)] = true;
  for (size_t v = 0; v < logits.size(); ++v)
    if (seen[v]) logits[v] = logits[v] > 0 ? logits[v] / penalty : logits[v] * penalty;
}

// The k-th largest.
double kth(Values values, int64_t k) {
  std::nth_element(values.begin(), values.begin() + (k - 1), values.end(), std::greater<>());
  return values[static_cast<size_t>(k - 1)];
}

// Keeps the largest (unnormalised) probabilities, as few as make up a share `top_p` of the sum of
// all; sets the others to 0.
void keep_nucleus(Values& p, double top_p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
  const double all = std::accumulate(p.begin(), p.end(), 0.0);
  double before = 0;
  for (const size_t v : order) {
    const bool enough = before >= top_p * all;
    before += p[v];
    if (enough) p[v] = 0;
  }
}

}  // namespace

int64_t sample(const Tensor& logits, const Sampling& s, int64_t i,
               std::span<const int64_t> before) {
  Values x = logits.to_vector();
  SLOPE_CHECK_SHAPE(!x.empty(), "generate: no logits to draw from");
  for (size_t v = 0; v < x.size(); ++v)
    SLOPE_CHECK_AS(NumericError, std::isfinite(x[v]),
                   "generate: the model's logit of token {} is {}", v, x[v]);
  if (s.repetition_penalty != 1) penalise(x, before, s.repetition_penalty);
  const auto likeliest = std::max_element(x.begin(), x.end());
  const double top = *likeliest;
  if (s.temperature == 0) return likeliest - x.begin();
  const bool has_least = s.top_k > 0 && s.top_k < static_cast<int64_t>(x.size());
  const double least = has_least ? kth(x, s.top_k) : -INFINITY;
  for (double& v : x) v = v < least ? 0 : std::exp((v - top) / s.temperature);
  if (s.top_p < 1) keep_nucleus(x, s.top_p);
  for (double& v : x)
    if (v < s.min_p) v = 0;  // the most likely one has exp(0) = 1
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  const double drawn = uniform_f64({.seed = s.seed, .site = s.text_number}, i) * sum;
  double passed = 0;
  int64_t token = -1;
  for (size_t v = 0; v < x.size(); ++v) {
    if (x[v] == 0) continue;
    token = static_cast<int64_t>(v);  // also taken if rounding leaves `drawn` at the sum
    passed += x[v];
    if (drawn < passed) break;
  }
  return token;
}

}  // namespace slope::train
