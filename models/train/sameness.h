// What a resume must not change, because the bits depend on it: most settings and the data.
#pragma once

#include <slope/models/config.h>
#include <slope/models/run/run_state.h>

namespace slope::train {

// A UsageError lists each difference with both values. Returns a message about settings that may
// differ and do; empty if there are none.
//   values_before: JSON of all settings with the values that applied before each setting existed
std::string check_sameness(const RunState& before, const RunState& now, const models::Settings& all,
                           const std::string& values_before, const std::string& folder);

}  // namespace slope::train
