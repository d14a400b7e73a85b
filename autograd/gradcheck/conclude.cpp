#include <slope/autograd/gradcheck/conclude.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/core/memory/scarce.h>

#include <cmath>

namespace slope {

void check_options(const GradcheckOptions& options) {
  SLOPE_CHECK_AS(UsageError, options.eps > 0 && std::isfinite(options.eps),
                 "gradcheck: eps must be finite and above 0, got {}", options.eps);
  for (const auto& [name, tolerance] : {std::pair{"atol", options.atol}, {"rtol", options.rtol}})
    SLOPE_CHECK_AS(UsageError, tolerance >= 0 && std::isfinite(tolerance),
                   "gradcheck: {} must be finite and at least 0, got {}", name, tolerance);
  SLOPE_CHECK_AS(UsageError, options.most_unchecked >= 0 && options.most_unchecked <= 1,
                 "gradcheck: most_unchecked must be from 0 to 1, got {}", options.most_unchecked);
  SLOPE_CHECK_AS(UsageError, options.sample >= 0, "gradcheck: sample must not be negative, got {}",
                 options.sample);
}

void run_part(GradcheckReport& report, const std::function<void()>& part) {
  try {
    part();
  } catch (const Unfit& e) {
    report.problems.push_back(e.what());
  } catch (const std::exception& e) {
    rethrow_if_scarce();
    report.problems.push_back(fmt::format("the function or a rule threw: {}", e.what()));
  } catch (...) {
    report.problems.emplace_back("the function or a rule threw what is no std::exception");
  }
}

void withdraw_if_changed(const Forward& forward, const GradcheckReport& before,
                         GradcheckReport& report) {
  const std::string change = forward.change();
  if (change.empty()) return;
  report = before;
  report.problems.push_back(change);
}

void conclude(GradcheckReport& report, bool raise_exception) {
  report.ok = report.problems.empty() && report.failed == 0;
  SLOPE_CHECK_AS(AutogradError, report.ok || !raise_exception, "{}", report.text());
}

}  // namespace slope
