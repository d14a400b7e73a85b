// Checkpoints of a run: the folders RUN/step-N and the links `last` and `best` to two of them. Once
// there is a checkpoint, `last` leads to a complete one at every instant, whatever fails.
#pragma once

#include <slope/core/files/append_log.h>
#include <slope/core/files/file_lock.h>
#include <slope/models/run/run_state.h>
#include <slope/models/train/updater.h>

#include <functional>
#include <set>

namespace slope::train {

class Checkpoints {
 public:
  // `tell` gets a message, once, if the curve is not drawn because its file is somebody else's, and
  // about each checkpoint that cannot be removed.
  Checkpoints(const std::string& folder, const FileLock& lock, AppendLog& log,
              std::function<void(const std::string&)> tell)
      : folder_(folder), lock_(lock), log_(log), tell_(std::move(tell)) {}

  // Writes step-N under a temporary name, renames it, and points `last` (and `best`, if so asked)
  // to it. Then draws the curve and removes the checkpoints without a link. IoError, here and in
  // finish_save, if the lock is lost: another process's checkpoints might be removed as superseded.
  void save(RunState& state, Updater& updater, const Task& task, bool best) const;

  // Completes a save that a kill interrupted; `point` is the checkpoint from which the run
  // continues.
  void finish_save(const std::string& point, int64_t best_step) const;

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void tidy() const;
  void draw_loss() const;
  void tell_once(const std::string& message) const;

  const std::string& folder_;
  const FileLock& lock_;
  AppendLog& log_;
  std::function<void(const std::string&)> tell_;
  mutable std::set<std::string> told_;
};

}  // namespace slope::train
