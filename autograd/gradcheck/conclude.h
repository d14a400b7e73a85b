// How a check begins and ends. What the function under check or a rule does wrong on the way is a
// problem of the report, not an exception.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

#include <functional>

namespace slope {

class Forward;

// Throws UsageError if an option makes no sense.
void check_options(const GradcheckOptions& options);

// Runs a part of a check. An exception of the function, of a rule or Unfit (numeric/forward.h) ends
// the part and joins the problems; errors about the system (core/memory/scarce.h) are thrown on.
void run_part(GradcheckReport& report, const std::function<void()>& part);

// If the function gives other outputs than in its first call, differences say nothing: the report
// becomes `before`, what it was without them, and says so.
void withdraw_if_changed(const Forward& forward, const GradcheckReport& before,
                         GradcheckReport& report);

// Sets `ok`, and throws AutogradError with the report's text if it is false and that is asked for.
void conclude(GradcheckReport& report, bool raise_exception);

}  // namespace slope
