// Before a sweep trains anything: whether each combination of values can be trained at all.
#pragma once

#include <slope/models/run/run_settings.h>

#include <functional>
#include <string>
#include <vector>

namespace slope::tools {

// Calls f. Its errors keep their types; `name` comes before their messages.
void naming_run(const std::string& name, const std::function<void()>& f);

struct PlannedRun {
  std::string name;    // "n_head=2 n_embd=8"
  std::string folder;  // a run that has a checkpoint there is not checked again
  std::function<void(train::RunSettings&)> gather;  // changes the defaults
};
// Makes what each run trains, one after the other: runs that differ only in how they are trained
// share it. An error names the run. If the text is long, only the model is made, because reading it
// would take time.
void check_runs(const models::ModelType& type, const std::vector<PlannedRun>& runs);

}  // namespace slope::tools
