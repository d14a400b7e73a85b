// The start of a run: before the data are read, its folder is made and locked and start.json says
// what is trained, so that even a run killed while reading them can be resumed. A run that is
// refused before keep() leaves no trace.
#pragma once

#include <slope/core/files/file_lock.h>
#include <slope/models/run/run_state.h>

#include <optional>
#include <string>
#include <vector>

namespace slope::train {

class RunStart {
 public:
  // UsageError if the folder holds a run and `resume` is not set, or if the settings are too long
  // for a state; errors of run_folder.h.
  RunStart(const std::string& folder, bool resume, const std::string& settings);
  ~RunStart();
  RunStart(const RunStart&) = delete;
  RunStart& operator=(const RunStart&) = delete;

  const FileLock& lock() const { return *lock_; }
  // The checkpoint from which a resumed run continues; empty if there is none.
  const std::string& point() const { return point_; }
  // The start.json of a resumed run that has no checkpoint yet.
  const std::optional<RunState>& earlier_start() const { return earlier_start_; }
  // A message about each thing that a crash left and that cannot be removed.
  const std::vector<std::string>& staying() const { return staying_; }

  // From here on the folder stays. A run without a checkpoint writes its start.json again, now that
  // the fingerprint of its data is known. IoError, and nothing is written, if the lock is lost, or
  // if something is in the way of a checkpoint of the steps up to `total`.
  void keep(const RunState& state, int64_t total);

 private:
  void undo();

  std::string folder_, point_;
  std::string made_from_;           // the highest folder that was missing before; empty: none
  std::optional<std::string> old_;  // the text of start.json before
  std::optional<RunState> earlier_start_;
  std::vector<std::string> staying_;
  std::optional<FileLock> lock_;
  bool had_lock_ = false, wrote_ = false, kept_ = false;
};

}  // namespace slope::train
