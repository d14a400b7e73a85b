#include <slope/autograd/gradcheck/conclude.h>
#include <slope/autograd/gradcheck/numeric/forward.h>
#include <slope/core/memory/scarce.h>

namespace slope {

void run_part(GradcheckReport& report, const std::function<void()>& part) {
  try {
    part();
  } catch (const Unfit& e) {
    report.problems.push_back(e.what());
  } catch (const std::exception& e) {
    rethrow_if_scarce();
    report.problems.push_back(fmt::format("the function or a rule threw: {}", e.what()));
  }
}

void conclude(GradcheckReport& report, bool raise_exception) {
  report.ok = report.problems.empty() && report.failed == 0;
  SLOPE_CHECK_AS(AutogradError, report.ok || !raise_exception, "{}", report.text());
}

}  // namespace slope
