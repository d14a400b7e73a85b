// Finds the line where parallel texts diverge: a sentence and its translation have a steady ratio
// of lengths, unrelated sentences do not.
//   cost(s, t) = |log((|s|+1) / (|t|+1)) - r|,   r the median log ratio (about right even if half
//                                                of the pairs are shifted)
//   k*         = argmin_k  sum_{i<k} cost(s_i, t_i)
//                          + sum_{i>=k} cost of pair i of the texts aligned at their ends
#include <slope/models/data/text/read_text.h>

#include <algorithm>
#include <cmath>

namespace slope::data {

int64_t first_suspicious_line(const std::vector<std::string>& source,
                              const std::vector<std::string>& target) {
  const size_t n = std::min(source.size(), target.size());
  if (n == 0) return 1;
  // one of these is 0
  const size_t more_source = source.size() - n, more_target = target.size() - n;
  const auto log_ratio = [&](size_t i, size_t j) {
    return std::log((source[i].size() + 1.0) / (target[j].size() + 1.0));
  };
  std::vector<double> ratios(n);
  for (size_t i = 0; i < n; ++i) ratios[i] = log_ratio(i, i);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(n / 2),
                   ratios.end());
  const double r = ratios[n / 2];
  double cost = 0, least = 0;  // relative to k = 0: all pairs counted from the end
  size_t best = 0;
  for (size_t i = 0; i < n; ++i) {
    cost +=
        std::abs(log_ratio(i, i) - r) - std::abs(log_ratio(i + more_source, i + more_target) - r);
    if (cost < least) least = cost, best = i + 1;
  }
  return static_cast<int64_t>(best) + 1;  // lines count from 1
}

}  // namespace slope::data
