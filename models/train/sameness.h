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
// A UsageError if the data's fingerprints differ, or only those of the text if `now` has no more.
void check_same_data(const std::string& before, const std::string& now, const std::string& folder);
// The settings that may differ and do: "lr was 0.001, is 0.01", or, if they keep their old values,
// "lr stays 0.001"; joined by semicolons.
std::string changed_settings(const RunState& before, const models::Settings& all,
                             const std::string& values_before);
std::string kept_settings(const RunState& before, const models::Settings& all,
                          const std::string& values_before);

}  // namespace slope::train
