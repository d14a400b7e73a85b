// What a resume must not change, because the bits depend on it: most settings and the data.
#pragma once

#include <slope/models/config.h>
#include <slope/models/run/run_state.h>

namespace slope::train {

// A UsageError lists each setting that must not differ but does, with both values. Called before
// any other file of the run is opened: under other settings they would seem damaged.
//   values_before: JSON of all settings with the values that applied before each setting existed
void check_same_settings(const RunState& before, const models::Settings& all,
                         const std::string& values_before, const std::string& folder);
// The same, and a UsageError if the data differ. Returns a message about settings that may differ
// and do; empty if there are none.
std::string check_sameness(const RunState& before, const RunState& now, const models::Settings& all,
                           const std::string& values_before, const std::string& folder);
// The message instead of that one if no step is left: "the run was done after 30 steps; lr stays
// 0.001".
std::string note_of_done(const RunState& before, const models::Settings& all,
                         const std::string& values_before);

}  // namespace slope::train
