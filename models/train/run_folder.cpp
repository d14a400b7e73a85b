#include <slope/core/error.h>
#include <slope/models/train/run_folder.h>
#include <slope/models/train/run_state.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <vector>

namespace slope::train {

namespace fs = std::filesystem;

namespace {

// Also a link that leads nowhere.
bool is_there(const std::string& path) {
  std::error_code none;  // a folder that cannot be read says so itself, later
  return fs::exists(fs::symlink_status(path, none));
}

bool is_checkpoint(const std::string& name) {
  return name.starts_with("step-") && name.size() > 5 && name.find_first_not_of("0123456789", 5) == name.npos;
}

std::vector<std::string> checkpoints(const std::string& folder) {  // by their steps
  std::vector<std::string> names;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder))
      if (const std::string name = entry.path().filename().string(); is_checkpoint(name)) names.push_back(name);
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  return names;
}

// As a shell takes it for one word, and a command not for an option: what is said may be pasted.
std::string quoted(const std::string& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) { return std::isalnum(c) || std::strchr("_./+:=@%-", c); });
  std::string text = path[0] == '-' ? "./" : "";
  if (plain) return text + path;
  text += '\'';
  for (char c : path) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + '\'';
}

// `last` and `best` must be links: nothing else can be swapped. Those that a copy made folders become links again by the command that is
// said.
void check_links(const std::string& run) {
  std::vector<std::string> folders, commands, steps = checkpoints(run);
  for (const std::string link : {"last", "best"}) {
    const std::string path = run + "/" + link;
    if (!is_there(path) || fs::is_symlink(path)) continue;
    SLOPE_CHECK_INPUT(fs::exists(path + "/state.json"), "{}: is no link to a checkpoint; move it away", path);
    folders.push_back(path);
    const std::string step = fmt::format("step-{}", RunState::read(path + "/state.json").step);
    const bool is_copy = std::find(steps.begin(), steps.end(), step) != steps.end();
    commands.push_back(is_copy ? fmt::format("rm -r {0} && ln -s {1} {0}", quoted(path), step)
                               : fmt::format("mv {0} {1} && ln -s {2} {0}", quoted(path), quoted(run + "/" + step), step));
    steps.push_back(step);
  }
  SLOPE_CHECK_INPUT(folders.empty(), "{}: must be a link to a checkpoint, is a folder (a copy made with cp -L?): {}",
                    fmt::join(folders, ", "), fmt::join(commands, " && "));
}

// A run inside a checkpoint, however deep, would go with it.
void refuse_checkpoint(const std::string& folder) {
  for (const char* file : {"/model.safetensors", "/state.json"})
    SLOPE_CHECK_AS(UsageError, !is_there(folder + file), "{0}: is a checkpoint; name a run's folder, as the one that holds {0}", folder);
  std::error_code none;  // a name that cannot be resolved says so itself, later
  for (fs::path above = fs::weakly_canonical(folder, none).parent_path(); above != above.root_path(); above = above.parent_path())
    SLOPE_CHECK_AS(UsageError, !is_there(above / "model.safetensors") || !is_there(above / "state.json"),
                   "{}: lies in a checkpoint, {}; choose another --out", folder, above.string());
}

}  // namespace

void refuse_run(const std::string& folder) {
  refuse_checkpoint(folder);
  const std::string log = folder + "/log.jsonl";
  const bool held = is_there(folder + "/last") || is_there(folder + "/best") || !checkpoints(folder).empty() ||
                    (fs::exists(log) && fs::file_size(log) > 0);
  SLOPE_CHECK_AS(UsageError, !held, "{} holds a run already; say --resume to go on, or choose another --out", folder);
}

std::string resume_point(const std::string& folder) {
  refuse_checkpoint(folder);
  check_links(folder);
  if (fs::is_directory(folder + "/last")) return "last";
  const std::vector<std::string> steps = checkpoints(folder);
  const bool broken = is_there(folder + "/last");
  // A save makes step-N, then `last`, then `best`: a kill in the first one can leave one step-N alone, and nothing else.
  if (!broken && !is_there(folder + "/best") && steps.size() < 2) return steps.empty() ? "" : steps[0];
  const std::string fault = fmt::format("{} `last`", broken ? "a broken link" : "no");
  SLOPE_CHECK_INPUT(!steps.empty(), "{0} holds {1}, and no checkpoint; to start anew: rm -f {2} {3}", folder,
                    broken ? fault : "`best`, but " + fault, quoted(folder + "/last"), quoted(folder + "/best"));
  throw InputError(fmt::format("{0} holds {1}, but {2}: ln -sfn {3} {4}", folder, fmt::join(steps, " and "), fault, steps.back(),
                               quoted(folder + "/last")));
}

std::string checkpoint_folder(const std::string& run) {
  SLOPE_CHECK_AS(UsageError, !run.empty(), "RUN: expected a run's folder, got an empty name");
  SLOPE_CHECK_AS(IoError, fs::exists(run), "{}: no such folder", run);
  for (const std::string& folder : {run + "/best", run + "/last", run}) {
    if (fs::exists(folder + "/model.safetensors")) return folder;
    SLOPE_CHECK_INPUT(folder == run || !is_there(folder), "{0}: leads to no checkpoint; to do without it: rm {1}", folder, quoted(folder));
  }
  throw InputError(fmt::format("{}: holds no checkpoint (neither best, nor last, nor a model.safetensors)", run));
}

bool leads_to(const std::string& link, const std::string& folder) {
  std::error_code none;  // a link that leads nowhere
  return fs::equivalent(link, folder, none);
}

void keep_linked(const std::string& folder) {
  if (!fs::is_symlink(folder + "/last")) return;  // then nothing says which are needed
  for (const std::string& name : checkpoints(folder)) {
    const std::string path = folder + "/" + name;
    if (!leads_to(folder + "/last", path) && !leads_to(folder + "/best", path)) fs::remove_all(path);
  }
}

}  // namespace slope::train
