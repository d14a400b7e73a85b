// Which weights and optimizer state belong to a state.json: it records their checksums.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/models/run/run_state.h>

namespace slope::train {

// Before state.json is written beside the files that `checkpoint` has so far.
void record_files(RunState& state, const FolderSink& checkpoint);
// Before a run goes on from the checkpoint `folder`: InputError if a file there was not saved with
// this state, which was read from its state.json.
void check_files(const RunState& state, const std::string& folder);

}  // namespace slope::train
