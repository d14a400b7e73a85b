#include <slope/core/error.h>
#include <slope/core/files/system_call.h>
#include <slope/core/memory/memory.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/commands/settings_flags.h>
#include <slope/tools/commands/sweep/check.h>

#include <sys/stat.h>

#include <map>
#include <memory>

namespace slope::tools {

using models::Kind;
using train::RunSettings;

void naming_run(const std::string& name, const std::function<void()>& f) {
  const auto named = [&](const Error& e) { return fmt::format("{}: {}", name, e.what()); };
  try {
    f();
  } catch (const UsageError& e) {
    throw UsageError(named(e));
  } catch (const IoError& e) {
    throw IoError(named(e));
  } catch (const MemoryError& e) {
    throw MemoryError(named(e));
  } catch (const NumericError& e) {
    throw NumericError(named(e));
  } catch (const Error& e) {  // exit code 3, as for an InputError
    throw InputError(named(e));
  }
}

namespace {

// of the text that the settings name; the bundled corpus is short
int64_t text_bytes(const RunSettings& settings) {
  int64_t bytes = 0;
  for (const InputArgument& input : text_inputs(settings)) {
    if (sys::kind_followed(input.path) != sys::Kind::file) continue;
    struct stat found;
    sys::look_at(input.path, found, "look at");
    bytes += found.st_size;
  }
  return bytes;
}

// The model alone, as if the text had a hundred different tokens.
void make_model(const RunSettings& settings) {
  constexpr int64_t tokens = 100;
  constexpr auto unset = models::Weights::unset;
  if (settings.type().kind == Kind::language_model)
    (void)dynamic_cast<const models::LanguageModelType&>(settings.type())
        .make(settings.config(), tokens, unset);
  if (settings.type().kind == Kind::translation)
    (void)dynamic_cast<const models::TranslationType&>(settings.type())
        .make(settings.config(),
              {tokens, tokens, settings.data<train::ParallelTextSettings>().shared_vocabulary},
              unset);
}

// What a task depends on: all settings but those of the training that it does not read.
std::string of_task(RunSettings& settings) {
  train::Settings all = settings.all();
  const train::Settings training = settings.training.settings();
  std::erase_if(all, [&](const train::Setting& s) {
    const bool is_read = s.key == "freeze" || s.key == "from" || s.key == "batch_size";
    return !is_read && models::find_setting(training, s.key);
  });
  return train::to_json(all);
}

}  // namespace

void check_runs(const models::ModelType& type, const std::vector<PlannedRun>& runs) {
  constexpr int64_t longest_text = 4 << 20;
  std::vector<std::vector<const PlannedRun*>> groups;
  std::map<std::string, size_t> places;  // of the groups
  for (const PlannedRun& run : runs) {
    if (!train::config_to_resume(run.folder).empty()) continue;
    RunSettings settings(type);
    run.gather(settings);
    const auto [at, is_new] = places.emplace(of_task(settings), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&run);
  }
  for (const auto& group : groups) {
    std::unique_ptr<train::ModelTask> task;
    for (const PlannedRun* run : group)
      naming_run("sweep: " + run->name, [&] {
        RunSettings settings(type);
        run->gather(settings);
        if (text_bytes(settings) > longest_text) return make_model(settings);
        if (!task) task = make_task(settings, "");
        train::check_training(*task, settings.training);
      });
  }
  memory::release_cached();
}

}  // namespace slope::tools
