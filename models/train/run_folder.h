// A run's folder: which of its checkpoints a resume goes on from, and which commands read. A checkpoint that `last` or `best` may have led
// to is never given up silently: links get lost where a run is copied without them, and become folders where a copy follows them.
#pragma once

#include <string>

namespace slope::train {

// UsageError where the folder holds a run: to be said before long preparations.
void refuse_run(const std::string& folder);

// The checkpoint's name that a resume goes on from: "last", or the only step-N where a kill came before `last` was made; empty where there
// is none, and the run starts anew. InputError, with the command that mends it, where that cannot be told.
std::string resume_point(const std::string& folder);

// The folder of a run that commands read: best, else last, else the folder itself where it holds a model. InputError where there is none.
std::string checkpoint_folder(const std::string& run);

void keep_linked(const std::string& folder);  // removes the checkpoints that neither `last` nor `best` leads to
bool leads_to(const std::string& link, const std::string& folder);

}  // namespace slope::train
