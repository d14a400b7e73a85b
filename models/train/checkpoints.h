// Checkpoints of a run: the folders RUN/step-N, of which the links `last` and `best` name one each.
// At every instant, whatever fails, `last` leads to a whole checkpoint once there is one.
#pragma once

#include <slope/core/files/append_log.h>
#include <slope/core/files/file_lock.h>
#include <slope/models/run/run_state.h>
#include <slope/models/train/updater.h>

namespace slope::train {

class Checkpoints {
 public:
  Checkpoints(const std::string& folder, const FileLock& lock, AppendLog& log)
      : folder_(folder), lock_(lock), log_(log) {}

  // Writes step-N aside, renames it, and lets `last`, and with `best` that link too, name it. Then
  // draws the curve, and removes the checkpoints that no link names. IoError where the lock is
  // gone: another process's checkpoints would be taken for superseded ones.
  void save(RunState& state, Updater& updater, const Task& task, bool best) const;

  // Completes what a kill in the middle of a save left undone; `point` is the checkpoint that the
  // run goes on from.
  void finish_save(const std::string& point, int64_t best_step) const;

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void tidy() const;
  void draw_loss() const;

  const std::string& folder_;
  const FileLock& lock_;
  AppendLog& log_;
};

}  // namespace slope::train
