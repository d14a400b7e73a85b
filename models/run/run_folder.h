// A run's folder: which of its checkpoints a resume goes on from, and which commands read. A
// checkpoint that `last` or `best` may have led to is never given up silently: links get lost where
// a run is copied without them, and become folders where a copy follows them.
#pragma once

#include <string>

namespace slope::train {

// UsageError where the folder holds a run, InputError as take_over: to be said before long
// preparations.
void refuse_run(const std::string& folder);

// The checkpoint's name that a resume goes on from: "last", or the only step-N where a kill came
// before `last` was made; empty where there is none, and the run starts anew. InputError, with the
// command that mends it, where that cannot be told.
std::string resume_point(const std::string& folder);

// The folder of a run that commands read: best, else last, else the folder itself where it holds a
// model. InputError where there is none.
std::string checkpoint_folder(const std::string& run);

// What a run begins with is written here before its first step, so that --resume finds it whenever
// the run was killed: settings and fingerprint of the data, as a RunState.
std::string start_file(const std::string& folder);
// Where the settings stand that a resume takes: the resume point's state.json, else the start file;
// empty where there is neither.
std::string state_to_resume(const std::string& folder);

// For the process that holds the folder's lock: removes what a crash left half written. InputError,
// and nothing is touched, where a name that a run writes to is a link, or a file that no run wrote.
void take_over(const std::string& folder, bool has_checkpoint);

// The checkpoint that a link of the folder leads to, by name ("step-20"); empty where
// there is no such link.
std::string linked(const std::string& folder, const std::string& link);

// Removes the checkpoints that neither `last` nor `best` leads to. One that holds what slope
// did not save there stays, and where any of this cannot be told, nothing is removed and the
// error is an IoError.
void keep_linked(const std::string& folder);
// IoError where such a folder is there and is not slope's
void make_way(const std::string& folder, const std::string& checkpoint);

}  // namespace slope::train
