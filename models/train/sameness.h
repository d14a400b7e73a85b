// What a resume may not change, because the bits depend on it: most settings, and the data.
#pragma once

#include <slope/models/config.h>
#include <slope/models/run/run_state.h>

namespace slope::train {

// UsageError that names what differs, each with both values. Returns a message about settings that
// differ and may; empty if there are none.
//   values_before: of all settings, as JSON: what the run of a build that did not know some had
std::string check_sameness(const RunState& before, const RunState& now, const Settings& all,
                           const std::string& values_before, const std::string& folder);

}  // namespace slope::train
