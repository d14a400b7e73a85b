#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/system_call.h>
#include <slope/core/text/parse_number.h>
#include <slope/models/run/curves/loss_plot.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace slope::train {

namespace fs = std::filesystem;

namespace {

using FileKind = sys::Kind;

constexpr std::string_view log_begin = "{\"step\":";  // of each line

// also true for a link that leads nowhere
bool is_there(const std::string& path) { return sys::kind(path) != FileKind::nothing; }

std::vector<std::string> checkpoints(const std::string& folder) {  // sorted by step
  std::vector<std::string> names;
  if (sys::is_folder(folder))
    for (std::string& name : sys::names_in(folder))
      if (is_step(name)) names.push_back(std::move(name));
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

// Quoted for a shell, as one word that is not taken for an option: users may paste messages.
std::string quoted(const std::string& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) || std::strchr("_./+:=@%-", c);
  });
  std::string text = path[0] == '-' ? "./" : "";
  if (plain) return text + path;
  text += '\'';
  for (char c : path) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + '\'';
}

// Whether a checkpoint has all that `other` has, which may then be removed.
bool holds_all_of(const std::string& other, const std::string& checkpoint) {
  for (const std::string& name : sys::names_in(other)) {
    const std::string file = other + "/" + name, own = checkpoint + "/" + name;
    if (sys::kind(file) != FileKind::file || sys::kind(own) != FileKind::file ||
        FileReader(file).bytes() != FileReader(own).bytes())
      return false;
  }
  return read_file(other + "/state.json") == read_file(checkpoint + "/state.json");
}

// `last` and `best` must be links, because only links can be swapped. The commands in the last
// message turn folders that a copy made of them back into links.
void check_links(const std::string& run) {
  std::vector<std::string> folders, commands;
  std::map<std::string, std::string> places;  // of each step: the folder that is kept
  for (const std::string& step : checkpoints(run)) places[step] = run + "/" + step;
  for (const std::string link : {"last", "best"}) {
    const std::string path = run + "/" + link;
    const FileKind kind = sys::kind(path);
    if (kind == FileKind::nothing || kind == FileKind::link) continue;
    SLOPE_CHECK_INPUT(is_there(path + "/state.json"),
                      "{}: is no link to a checkpoint; move it away", path);
    folders.push_back(path);
    const std::string step = fmt::format("step-{}", RunState::read(path + "/state.json").step);
    const auto [place, is_only_one] = places.try_emplace(step, path);
    SLOPE_CHECK_INPUT(is_only_one || holds_all_of(path, place->second),
                      "{}: differs from {}, which is of the same step (a copy that was cut "
                      "off?); move the incomplete one away",
                      place->second, path);
    commands.push_back(is_only_one ? fmt::format("mv {0} {1} && ln -s {2} {0}", quoted(path),
                                                 quoted(run + "/" + step), step)
                                   : fmt::format("rm -r {0} && ln -s {1} {0}", quoted(path), step));
  }
  SLOPE_CHECK_INPUT(folders.empty(),
                    "{}: must be a link to a checkpoint, is a folder (a copy made with cp -L?): {}",
                    fmt::join(folders, ", "), fmt::join(commands, " && "));
}

// A run inside a checkpoint, however deep, would be removed with it.
void refuse_checkpoint(const std::string& folder) {
  SLOPE_CHECK_AS(UsageError, !is_there(folder + "/state.json"),
                 "{0}: is a checkpoint; name the run's folder, which holds {0}", folder);
  SLOPE_CHECK_AS(UsageError, !is_there(folder + "/model.safetensors"),
                 "{}: holds weights without a run's state, as an export does; name a run's folder "
                 "or a new one",
                 folder);
  std::error_code none;  // a name that cannot be resolved is reported later, when it is used
  for (fs::path above = fs::weakly_canonical(folder, none).parent_path();
       above != above.root_path(); above = above.parent_path())
    SLOPE_CHECK_AS(UsageError,
                   !is_there(above / "model.safetensors") || !is_there(above / "state.json"),
                   "{}: lies in a checkpoint, {}; choose another --out", folder, above.string());
}

bool has_content(const std::string& file) {
  return sys::kind(file) == FileKind::file && FileReader(file).bytes() > 0;
}

// Refuses to overwrite files of others with those that a run writes beside its checkpoints.
void refuse_others(const std::string& folder, bool has_checkpoint) {
  const std::string plot = folder + "/loss.svg", log = folder + "/log.jsonl",
                    start = start_file(folder), events = folder + "/tensorboard";
  for (const std::string& file : {plot, log, start, events})
    SLOPE_CHECK_INPUT(sys::kind(file) != FileKind::link,
                      "{}: is a link, through which a run does not write; move it away", file);
  for (const std::string& file : {plot, log, start})
    SLOPE_CHECK_INPUT(!is_there(file) || sys::kind(file) == FileKind::file,
                      "{}: is not a regular file; move it away or choose another --out", file);
  SLOPE_CHECK_INPUT(!is_there(plot) || is_loss_plot(read_file(plot)),
                    "{}: was not drawn by slope; move it away or choose another --out", plot);
  const bool started = is_there(start);
  if (started) (void)RunState::read(start);
  SLOPE_CHECK_INPUT(has_checkpoint || started || !has_content(log),
                    "{}: belongs to no run; move it away or choose another --out", log);
  SLOPE_CHECK_INPUT(!is_there(log) || begins_with(log, log_begin),
                    "{}: is not the log of a run; move it away, and the run goes on without it",
                    log);
}

// Whether slope saves a file of this name in a checkpoint.
bool is_saved(std::string_view name) {
  const auto is_one_of = [](std::string_view text, auto... all) { return ((text == all) || ...); };
  const size_t dot = std::min(name.find('.'), name.size());
  return is_one_of(name, "model.safetensors", "config.json", "state.safetensors", "state.json",
                   "boundary.svg") ||
         (is_one_of(name.substr(0, dot), "source", "target", "shared") &&
          is_one_of(name.substr(dot), ".vocab", ".model", ".spacing"));
}

// Whether a checkpoint has all required files and only such as slope saves there: then it may be
// removed once superseded.
bool is_only_saved(const std::string& checkpoint) {
  const std::vector<std::string> names = sys::names_in(checkpoint);
  for (const char* name : {"model.safetensors", "config.json", "state.json"})
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  for (const std::string& name : names) {
    if (!is_saved(name) || sys::kind(checkpoint + "/" + name) != FileKind::file) return false;
  }
  return true;
}

// The command that brings back the checkpoint of a link, if the process was killed while it
// replaced that checkpoint on a file system that cannot exchange two names; else empty.
std::string way_back(const std::string& folder, const std::string& link) {
  const std::string step = linked(folder, link);
  if (!is_step(step) || is_there(folder + "/" + step)) return "";
  for (const std::string& name : sys::names_in(folder)) {
    const std::optional<MadeFor> made = made_for(name);
    const std::string path = folder + "/" + name;
    if (made && made->name == step && sys::kind(path) == FileKind::folder && is_only_saved(path))
      return fmt::format("mv {} {}", quoted(path), quoted(folder + "/" + step));
  }
  return "";
}

}  // namespace

bool is_of_run(const std::string& file) {
  std::error_code none;
  const fs::path at = fs::weakly_canonical(fs::absolute(file, none), none);
  const std::string folder = at.parent_path(), name = at.filename();
  const auto has = [&](const char* other) { return is_there(folder + "/" + other); };
  const bool is_run = has("log.jsonl") || has("start.json"),
             is_checkpoint = has("state.json") || (has("model.safetensors") && has("config.json"));
  return (is_run && (name == "loss.svg" || name == "log.jsonl" || name == "start.json" ||
                     name == "lock" || name == "last" || name == "best")) ||
         (is_checkpoint && is_saved(name));
}

std::string start_file(const std::string& folder) { return folder + "/start.json"; }

void refuse_run(const std::string& folder) {
  refuse_checkpoint(folder);
  const bool held = is_there(folder + "/last") || is_there(folder + "/best") ||
                    !checkpoints(folder).empty() ||
                    (has_content(folder + "/log.jsonl") && is_there(start_file(folder)));
  SLOPE_CHECK_AS(UsageError, !held,
                 "{} holds a run already; say --resume to go on, or choose another --out", folder);
  refuse_others(folder, false);
}

std::string resume_point(const std::string& folder) {
  refuse_checkpoint(folder);
  check_links(folder);
  if (sys::is_folder(folder + "/last")) return "last";
  const std::vector<std::string> steps = checkpoints(folder);
  const bool broken = is_there(folder + "/last");
  const std::string back = way_back(folder, "last");
  SLOPE_CHECK_INPUT(back.empty(),
                    "{} holds a broken link `last`, because its checkpoint was being replaced: {}",
                    folder, back);
  // A save makes step-N, then `last`, then `best`: a kill during the first save can leave a single
  // step-N and nothing else.
  if (!broken && !is_there(folder + "/best") && steps.size() < 2)
    return steps.empty() ? "" : steps[0];
  const std::string fault = fmt::format("{} `last`", broken ? "a broken link" : "no");
  SLOPE_CHECK_INPUT(
      !steps.empty(), "{0} holds {1}, and no checkpoint; to start anew: rm -f {2} {3}", folder,
      broken ? fault : "`best`, but " + fault, quoted(folder + "/last"), quoted(folder + "/best"));
  throw InputError(fmt::format("{0} holds {1}, but {2}: ln -sfn {3} {4}", folder,
                               fmt::join(steps, " and "), fault, steps.back(),
                               quoted(folder + "/last")));
}

std::string state_to_resume(const std::string& folder) {
  const std::string point = resume_point(folder), start = start_file(folder);
  refuse_others(folder, !point.empty());
  if (!point.empty()) return folder + "/" + point + "/state.json";
  return sys::kind(start) == FileKind::file ? start : "";
}

std::string config_to_resume(const std::string& folder) {
  const std::string point = resume_point(folder), config = folder + "/" + point + "/config.json";
  return !point.empty() && is_there(config) ? config : "";
}

std::string checkpoint_folder(const std::string& run) {
  SLOPE_CHECK_AS(UsageError, !run.empty(), "RUN: expected a run's folder, got an empty name");
  const FileKind kind = sys::kind_followed(run);
  SLOPE_CHECK_AS(IoError, kind != FileKind::nothing, "{}: no such folder", run);
  SLOPE_CHECK_INPUT(kind == FileKind::folder,
                    "{}: is not a folder; name the folder of a run (slope train --out)", run);
  for (const std::string& folder : {run + "/best", run + "/last", run}) {
    if (sys::kind_followed(folder + "/model.safetensors") != FileKind::nothing) return folder;
    if (folder == run || !is_there(folder)) continue;
    const std::string back = way_back(run, folder.substr(run.size() + 1));
    throw InputError(fmt::format(
        "{}: leads to no checkpoint; {}", folder,
        back.empty() ? "to do without it: rm " + quoted(folder) : "to bring it back: " + back));
  }
  const std::vector<std::string> steps = checkpoints(run);
  SLOPE_CHECK_INPUT(steps.empty(), "{0}: neither best nor last leads to a checkpoint; name {1}",
                    run, quoted(run + "/" + steps.back()));
  throw InputError(fmt::format(
      "{}: holds no checkpoint (neither best, nor last, nor a model.safetensors)", run));
}

std::string linked(const std::string& folder, const std::string& link) {
  const std::string path = folder + "/" + link;
  return sys::kind(path) == FileKind::link
             ? fs::path(sys::read_link(path)).lexically_normal().filename().string()
             : "";
}

std::vector<std::string> keep_linked(const std::string& folder) {
  std::vector<std::string> superseded, staying;
  const std::string last = linked(folder, "last"), best = linked(folder, "best");
  if (last.empty()) return {};  // then nothing says which are needed
  for (const std::string& name : checkpoints(folder)) {
    const std::string path = folder + "/" + name;
    if (name != last && name != best && sys::kind(path) == FileKind::folder && is_only_saved(path))
      superseded.push_back(path);
  }
  for (const std::string& path : superseded) try {
      remove_step(path);
    } catch (const IoError& e) {
      staying.push_back(e.what());
    }
  return staying;
}

std::vector<std::string> take_over(const std::string& folder, bool has_checkpoint) {
  refuse_others(folder, has_checkpoint);
  constexpr std::string_view links[] = {"last", "best"};
  constexpr OwnFiles::File files[] = {
      {"loss.svg", "<svg xmlns="}, {"start.json", "{\n \"crc32c\": \""}, {"log.jsonl", log_begin}};
  return remove_strays(folder, {links, files, is_saved}).staying;
}

void make_way(const std::string& folder, int64_t after, int64_t until) {
  for (const std::string& name : checkpoints(folder)) {
    int64_t step = 0;
    if (parse_number(name.substr(name.find('-') + 1), step) && step > after && step <= until)
      make_way(folder, name);
  }
}

void make_way(const std::string& folder, const std::string& checkpoint) {
  const std::string path = folder + "/" + checkpoint;
  SLOPE_CHECK_AS(
      IoError, !is_there(path) || (sys::kind(path) == FileKind::folder && is_only_saved(path)),
      "{}: is in the way of a checkpoint and holds what slope did not save; move it away", path);
}

}  // namespace slope::train
