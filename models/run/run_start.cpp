#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_start.h>

namespace slope::train {

constexpr int64_t rest_of_state = 1024;  // bytes of a state, at most, besides the settings

RunStart::RunStart(const std::string& folder, bool resume, const std::string& settings)
    : folder_(folder) {
  const std::string text = RunState{.settings = settings}.text();
  const auto bytes = static_cast<int64_t>(text.size()), most = most_json_bytes - rest_of_state;
  SLOPE_CHECK_AS(UsageError, bytes <= most,
                 "the settings have {} bytes, those of a run at most {}: shorten the longest, such "
                 "as --freeze",
                 bytes, most);
  for (std::string above = folder; sys::kind_followed(above) == sys::Kind::nothing;
       above = sys::parent(above))
    made_from_ = above;
  try {
    make_folders(folder);
    had_lock_ = sys::kind(folder + "/lock") != sys::Kind::nothing;
    lock_.emplace(folder + "/lock");
    if (!resume) refuse_run(folder);
    try_link(folder + "/last");
    point_ = resume_point(folder);
    staying_ = take_over(folder, !point_.empty());
    if (!point_.empty()) return;
    const std::string file = start_file(folder);
    if (sys::kind(file) == sys::Kind::file) {
      old_ = read_file(file);
      if (resume) earlier_start_ = RunState::read(file);
    }
    if (earlier_start_) return;
    wrote_ = true;
    write_file(file, text);
  } catch (...) {
    undo();
    throw;
  }
}

RunStart::~RunStart() {
  if (!kept_) undo();
}

void RunStart::keep(const RunState& state, int64_t total) {
  lock_->check();
  make_way(folder_, state.step, total);
  if (point_.empty()) write_file(start_file(folder_), state.text());
  kept_ = true;
}

// Undoes what it can and throws nothing: the error to report is the one that ended the run. If the
// lock is lost, nothing: the folder's files may be another run's.
void RunStart::undo() try {
  if (lock_) lock_->check();
  const std::string file = start_file(folder_);
  if (wrote_ && !old_) sys::remove(file);
  try {
    if (wrote_ && old_ && read_file(file) != *old_) write_file(file, *old_);
  } catch (const IoError&) {  // the rest can be undone nevertheless
  }
  // removed while still locked: a process that opened it meanwhile finds that the name is gone
  if (lock_ && !had_lock_) sys::remove(folder_ + "/lock");
  if (made_from_.empty()) return;
  for (std::string made = folder_;; made = sys::parent(made)) {
    const sys::Kind found = sys::kind(made);
    if (found != sys::Kind::nothing && (found != sys::Kind::folder || !sys::remove(made))) return;
    if (made == made_from_) return;
  }
} catch (const std::exception&) {
}

}  // namespace slope::train
