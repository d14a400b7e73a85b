// slope train translation | char-gpt: settings come from the preset, then --config, then flags; on
// --resume from the run before all of them.
#include <slope/models/data/read_text.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/command.h>

#include <fmt/ranges.h>

#include <cstdio>
#include <map>

namespace slope::tools {

namespace {

using train::Settings;

struct TrainFlags {
  std::map<std::string, std::string> values;  // of settings, by key
  std::string config, preset, out;
  bool resume = false, quiet = false;
};

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

void add_flags(Command& command, TrainFlags& flags, const Settings& defaults,
               const std::vector<std::string>& presets) {
  command.option("--out", flags.out, "the run's folder").required().takes("RUN").not_empty();
  command.flag("--resume", flags.resume,
               "go on from the run's last checkpoint; the settings are the run's own");
  command.flag("--quiet", flags.quiet, "print nothing but errors");
  command.option("--config", flags.config, "JSON file with any of the settings below as keys")
      .takes("FILE")
      .not_empty();
  if (!presets.empty())
    command
        .option("--preset", flags.preset,
                fmt::format("a named set of settings: {}", fmt::join(presets, ", ")))
        .takes("NAME")
        .not_empty();
  command.threads();
  for (const train::Setting& s : defaults) {
    const std::string choices =
        s.choices.empty() ? "" : fmt::format(" ({})", fmt::join(s.choices, ", "));
    const auto keep = [&flags, key = s.key](const std::string& text) { flags.values[key] = text; };
    command.option(flag_of(s.key), keep, s.help + choices)
        .takes("[" + to_text(s) + "]")
        .in_group("Settings (keys of config.json, with their defaults)");
  }
}

// Before anything is read: a run that cannot begin is refused at once.
void check_out(const TrainFlags& flags) {
  if (!flags.resume) train::refuse_run(flags.out);
}

// Of `steps` and `epochs`, the one that was said decides.
void steps_or_epochs(const Settings& settings, const std::vector<std::string>& said) {
  const auto is_said = [&](const char* key) {
    return std::find(said.begin(), said.end(), key) != said.end();
  };
  if (!is_said("epochs") || is_said("steps")) return;
  for (const train::Setting& s : settings)
    if (s.key == "steps") *std::get<int64_t*>(s.place) = 0;
}

// `settings` point into the run's settings, which hold the defaults or the preset's values.
void gather(const TrainFlags& flags, const Settings& settings, const std::string& model,
            const std::function<void()>& apply_preset = {}) {
  const std::string state = flags.resume ? train::state_to_resume(flags.out) : "";
  if (!state.empty()) {
    const std::string before = train::RunState::read(state).settings,
                      was = train::model_of(before, state);
    SLOPE_CHECK_AS(UsageError, was == model,
                   "--resume: {} holds a run of {}, not of {}; choose another --out", flags.out,
                   was.empty() ? "nothing known" : was, model);
    for (const train::Setting& s : settings)
      if (!s.earlier.empty()) set_from_text(s, s.earlier);
    from_json(settings, before, state);
  }
  if (!flags.preset.empty() && apply_preset) apply_preset();
  std::vector<std::string> said;
  if (!flags.config.empty())
    said = from_json(settings, train::read_json_text(flags.config), flags.config);
  steps_or_epochs(settings, said);
  said.clear();
  for (const auto& [key, text] : flags.values) {
    for (const train::Setting& s : settings)
      if (s.key == key) set_from_text(s, text);
    said.push_back(key);
  }
  steps_or_epochs(settings, said);
}

int finish(const train::RunResult& result, const TrainFlags& flags) {
  if (result.signal) return 128 + result.signal;
  if (!flags.quiet && result.best_step > 0)
    std::printf("done: %ld steps, best validation loss %.4f at step %ld, in %s\n",
                static_cast<long>(result.steps), result.best_loss,
                static_cast<long>(result.best_step), flags.out.c_str());
  return 0;
}

int train_translation(const TrainFlags& flags) {
  check_out(flags);
  train::TranslationSettings s;
  const Settings settings = settings_of(s);
  gather(flags, settings, s.model, [&] { train::apply_preset(s, flags.preset); });
  SLOPE_CHECK_AS(
      UsageError, s.train.empty() == s.valid.empty(),
      "--train and --valid belong together: give both, or neither for the bundled corpus");
  const std::string train_prefix = s.train.empty() ? bundled_corpus() + "/train" : s.train,
                    valid_prefix = s.valid.empty() ? bundled_corpus() + "/valid" : s.valid;
  train::TranslationTask task(s, data::read_parallel(train_prefix, s.source, s.target),
                              data::read_parallel(valid_prefix, s.source, s.target));
  if (!flags.quiet) std::printf("%s\n", task.summary().c_str());
  return finish(train::train(task, s.training, settings,
                             {.folder = flags.out, .resume = flags.resume, .quiet = flags.quiet}),
                flags);
}

int train_char_gpt(const TrainFlags& flags) {
  check_out(flags);
  train::LanguageModelSettings s;
  const Settings settings = settings_of(s);
  gather(flags, settings, s.model);
  const std::string file = s.text.empty() ? bundled_corpus() + "/train.en" : s.text,
                    text = data::read_text(file);
  train::LanguageModelTask task =
      with_file(file, [&] { return train::LanguageModelTask(s, text); });
  if (!flags.quiet) std::printf("%s\n", task.summary().c_str());
  return finish(train::train(task, s.training, settings,
                             {.folder = flags.out, .resume = flags.resume, .quiet = flags.quiet}),
                flags);
}

}  // namespace

void add_train(Command& slope) {
  Command command = slope.subcommand("train",
                                     "Train a model: translation or char-gpt.\nExample: slope "
                                     "train translation --preset quickstart --out runs/first");
  command.chooses_subcommand();
  static TrainFlags translation_flags, gpt_flags;
  static train::TranslationSettings translation_defaults;
  static train::LanguageModelSettings gpt_defaults;
  Command translation =
      command.subcommand("translation",
                         "Train C-scratch, an encoder-decoder Transformer, on parallel text: "
                         "PREFIX.de and PREFIX.en, plain or .gz.\n"
                         "Without --train it learns the bundled German-English corpus.\n"
                         "Example: slope train translation --train data/train --valid data/val "
                         "--epochs 10 --out runs/de-en");
  add_flags(translation, translation_flags, settings_of(translation_defaults),
            train::translation_presets());
  translation.runs([] { return train_translation(translation_flags); });
  Command gpt = command.subcommand(
      "char-gpt",
      "Train a GPT on the characters of a text. Without --text it learns the English side of the "
      "bundled corpus.\n"
      "Example: slope train char-gpt --text shakespeare.txt --steps 2000 --out runs/shakespeare");
  add_flags(gpt, gpt_flags, settings_of(gpt_defaults), {});
  gpt.runs([] { return train_char_gpt(gpt_flags); });
}

}  // namespace slope::tools
