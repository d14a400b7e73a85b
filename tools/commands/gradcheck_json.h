// The reports of `slope gradcheck --json`: everything that a report holds.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>

#include <nlohmann/json_fwd.hpp>

namespace slope::tools {
nlohmann::ordered_json to_json(const GradcheckReport& report);
}
