// The output of `slope gradcheck --json`: everything in a report.
#pragma once

#include <slope/autograd/gradcheck/cases/function_check.h>

#include <nlohmann/json_fwd.hpp>

namespace slope::tools {
nlohmann::ordered_json to_json(const GradcheckReport& report);
nlohmann::ordered_json to_json(const std::vector<FunctionCheck>& checks);
}  // namespace slope::tools
