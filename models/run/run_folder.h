// A run's folder: the checkpoint from which a resume continues, and the one that commands read. A
// checkpoint that `last` or `best` may have referred to is never given up silently: links get lost
// when a run is copied without them, and become folders when a copy follows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slope::train {

// UsageError if the folder holds a run, InputError as in take_over: called before long
// preparations.
void refuse_run(const std::string& folder);

// The name of the checkpoint from which a resume continues: "last", or the only step-N if the run
// was killed before `last` was made; empty if there is none, and the run starts from the beginning.
// InputError that says how to repair the run, if that cannot be decided, or if the checkpoint of
// `last` was being replaced and lies under a temporary name.
std::string resume_point(const std::string& folder);

// The folder from which commands read a run: best, else last, else the folder itself if it holds a
// model. InputError if there is none.
std::string checkpoint_folder(const std::string& run);

// Settings, as a RunState, are written to this file before the data are read, and again with the
// fingerprint of the data, so that --resume finds them no matter when the run was killed.
std::string start_file(const std::string& folder);
// The file whose settings a resume takes: the resume point's state.json, else the start file; empty
// if there is neither.
std::string state_to_resume(const std::string& folder);
// The config.json of the checkpoint from which a resume continues; empty if there is none.
std::string config_to_resume(const std::string& folder);

// Whether slope keeps this file in a run, a checkpoint or an export, so that no picture may take
// its place.
bool is_of_run(const std::string& file);

// For the process that holds the folder's lock: removes what a crash left half written. Returns a
// message about each of these that cannot be removed: the run goes on without. InputError, without
// any change, if a name that a run writes to is a link, or a file that no run wrote.
std::vector<std::string> take_over(const std::string& folder, bool has_checkpoint);

// The name of the checkpoint that a link of the folder leads to ("step-20"); empty if there is no
// such link.
std::string linked(const std::string& folder, const std::string& link);

// Removes the checkpoints that neither `last` nor `best` leads to. A checkpoint stays if it holds
// anything that slope does not save there. If any of this cannot be decided, nothing is removed and
// an IoError is thrown. Returns a message about each that cannot be removed.
std::vector<std::string> keep_linked(const std::string& folder);
// Before a checkpoint is saved: IoError if its name is taken by something that slope did not save.
void make_way(const std::string& folder, const std::string& checkpoint);
// The same for every step from after + 1 to until, since an interruption can save at any of them:
// asked before the first step, so that no steps are lost.
void make_way(const std::string& folder, int64_t after, int64_t until);

}  // namespace slope::train
