#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/curves/loss_plot.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/saved_together.h>
#include <slope/models/train/checkpoints.h>

namespace slope::train {

void Checkpoints::save(RunState& state, Updater& updater, const Task& task, bool best) const {
  lock_.check();
  log_.sync();
  state.log_bytes = log_.bytes();
  const std::string name = fmt::format("step-{}", state.step);
  make_way(folder_, name);
  FolderSink sink(path(name));
  updater.save(sink, task);
  record_files(state, sink);
  write_file(sink.file("state.json"), state.text());
  lock_.check();
  make_way(folder_, name);
  sink.replace();  // renames the finished folder to `name`
  // `last` first: `best` without `last` would look like a run that lost its links
  swap_link(path("last"), name);
  if (best) swap_link(path("best"), name);
  tidy();
}

void Checkpoints::finish_save(const std::string& point, int64_t best_step) const {
  lock_.check();
  if (point != "last") swap_link(path("last"), point);
  const std::string best = fmt::format("step-{}", best_step);
  if (best_step > 0 && sys::is_folder(path(best)) && linked(folder_, "best") != best)
    swap_link(path("best"), best);
  tidy();
}

// Draws the curve of the current log, and removes all checkpoints but those of `last` and `best`.
void Checkpoints::tidy() const {
  draw_loss();
  for (const std::string& failure : keep_linked(folder_))
    tell_once(failure + "; it stays, and training goes on");
}

void Checkpoints::tell_once(const std::string& message) const {
  if (told_.insert(message).second) tell_(message);
}

void Checkpoints::draw_loss() const {
  const std::string file = path("loss.svg"), log = path("log.jsonl");
  if (sys::kind(log) == sys::Kind::nothing)
    return tell_once(fmt::format("{} is gone: no curve is drawn; training goes on", log));
  if (!log_.is_in_place())
    return tell_once(
        fmt::format("{} was replaced by another file: it and the curve lack what this "
                    "run logs; training goes on",
                    log));
  try {
    const std::string plot = loss_plot(log);
    const sys::Kind found = sys::kind(file);
    if (found == sys::Kind::nothing || (found == sys::Kind::file && is_loss_plot(read_file(file))))
      return write_file(file, plot);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}; move it away, and the run goes on without it", e.what()));
  }
  tell_once(
      fmt::format("{} was not drawn by slope and stays as it is; move it away to get the curve; "
                  "training goes on",
                  file));
}

}  // namespace slope::train
