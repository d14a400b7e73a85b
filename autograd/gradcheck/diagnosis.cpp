#include <slope/autograd/gradcheck/diagnosis.h>

#include <algorithm>
#include <cmath>

namespace slope {

namespace {

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b) + 1e-6; }

std::string meaning(double factor) {
  if (is_near(factor, -1)) return ": a wrong sign";
  if (is_near(factor, 0)) return ": the rule gives 0 where the function changes";
  if (is_near(factor, 0.5)) return ": a lost factor 2, or one of two uses of the input is lost";
  if (factor > 1 && is_near(factor, std::round(factor)))
    return fmt::format(": an extra factor, or a sum in place of a mean of {:.0f}", factor);
  if (factor > 0 && factor < 1 && is_near(1 / factor, std::round(1 / factor)))
    return fmt::format(": a lost factor, or a mean of {:.0f} in place of a sum", 1 / factor);
  return "";
}

}  // namespace

std::string likely_mistake(const GradcheckReport& report) {
  const std::vector<GradcheckFailure>& failures = report.failures;
  if (failures.empty() || report.failed != static_cast<int64_t>(failures.size())) return "";
  const auto all = [&](auto&& holds) {
    return std::all_of(failures.begin(), failures.end(), holds);
  };
  if (all([](const auto& f) { return !std::isfinite(f.analytic); }))
    return "backward gives nan or infinity where the function is smooth: 0/0 or 0 times infinity "
           "in the rule";
  if (all([](const auto& f) { return f.numeric == 0; }))
    return "the function does not change with these elements: the rule should give 0";
  const double first = failures[0].ratio();
  if (failures.size() < 2 || !std::isfinite(first) ||
      !all([&](const auto& f) { return is_near(f.ratio(), first); }))
    return "";
  return fmt::format("every one is off by the same factor {:.6g}{}", first, meaning(first));
}

}  // namespace slope
