// slope train KIND [--model NAME], slope train NAME: settings come from the preset, then --config,
// then flags; on --resume from the run before all of them. The flags are the settings of the model
// that is trained.
#include <slope/core/error.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/tasks/model_task.h>
#include <slope/models/train/trainer.h>
#include <slope/tools/command.h>
#include <slope/tools/commands/train_choice.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace slope::tools {

namespace {

using models::Kind, models::ModelType;
using train::Setting, train::Settings, train::RunSettings;

struct Flags {
  std::map<std::string, std::string> values;  // of settings, by key
  std::string config, preset, out;
  bool resume = false, quiet = false;
};

std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

void add_flags(Command& command, Flags& flags, const ModelType& type) {
  command.option("--out", flags.out, "the run's folder").required().names("RUN");
  command.flag("--resume", flags.resume, "go on from the run's last checkpoint, with its settings");
  command.flag("--quiet", flags.quiet, "print nothing but errors");
  command.option("--config", flags.config, "JSON file with any of the settings below as keys")
      .names("FILE");
  if (const auto presets = models::preset_names(type); !presets.empty())
    command
        .option("--preset", flags.preset,
                fmt::format("a named set of settings: {}", fmt::join(presets, ", ")))
        .names("NAME");
  command.threads();
  RunSettings defaults(type);
  for (const Setting& s : defaults.all()) {
    const bool is_model = s.key == "model";
    const std::vector<std::string> choices = is_model ? models::model_names(type.kind) : s.choices;
    const std::string help =
        s.help + (choices.empty() ? "" : fmt::format(" ({})", fmt::join(choices, ", ")));
    const bool yes_or_no = std::holds_alternative<bool*>(s.place);
    const auto keep = [&flags, key = s.key, yes_or_no](const std::string& text) {
      flags.values[key] = yes_or_no && text.empty() ? "true" : text;
    };
    Option option = command.option(flag_of(s.key), keep, help);
    if (yes_or_no) option.value_may_be_left_out();
    const bool is_name = std::holds_alternative<std::string*>(s.place) && choices.empty();
    const std::string word = "[" + train::to_text(s) + "]";
    (is_name ? option.names(word) : option.takes(word))
        .in_group("Settings (keys of config.json, with their defaults)");
  }
}

// If only one of `steps` and `epochs` is given, it decides.
void steps_or_epochs(train::TrainSettings& t, const std::vector<std::string>& given) {
  const auto is_given = [&](const char* key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  if (is_given("epochs") && !is_given("steps")) t.steps = 0;
}

// A flag without effect for this run's optimizer, schedule or tokenizer.
void refuse_without_effect(const Settings& settings, const Flags& flags) {
  for (const Setting& s : settings) {
    if (s.of.empty() || !flags.values.contains(s.key)) continue;
    const auto of = std::find_if(settings.begin(), settings.end(),
                                 [&](const Setting& other) { return other.key == s.of; });
    const std::string& value = *std::get<std::string*>(of->place);
    SLOPE_CHECK_AS(UsageError,
                   std::find(s.values_of.begin(), s.values_of.end(), value) != s.values_of.end(),
                   "{}: does nothing with {} {}; it belongs to {}", flag_of(s.key), flag_of(s.of),
                   value, fmt::join(s.values_of, ", "));
  }
}

void gather(RunSettings& settings, const Flags& flags) {
  const std::string state = flags.resume ? train::state_to_resume(flags.out) : "";
  if (!state.empty()) {
    train::from_saved_json(settings.all(), train::RunState::read(state).settings, state);
    // somebody may have edited the checkpoint's own config: what may not change is then refused
    const std::string config = train::config_to_resume(flags.out);
    if (!config.empty())
      train::from_saved_json(settings.all(), train::read_json_text(config), config);
  }
  if (!flags.preset.empty()) settings.apply(flags.preset);
  std::vector<std::string> given;
  if (!flags.config.empty())
    given = train::from_json(settings.all(), train::read_json_text(flags.config), flags.config);
  steps_or_epochs(settings.training, given);
  given.clear();
  for (const auto& [key, text] : flags.values) {
    settings.set(key, text);
    given.push_back(key);
  }
  steps_or_epochs(settings.training, given);
  refuse_without_effect(settings.all(), flags);
}

int run(const Flags& flags, const ModelType& type) {
  if (!flags.resume) train::refuse_run(flags.out);  // before anything is read
  RunSettings settings(type);
  gather(settings, flags);
  const auto task = train::make_task(settings, bundled_corpus);
  if (!flags.quiet) std::printf("%s\n", task->summary().c_str());
  std::fflush(stdout);  // training goes on even if nobody reads the output
  const train::RunResult result =
      train::train(*task, settings.training, settings.all(),
                   {.folder = flags.out,
                    .resume = flags.resume,
                    .quiet = flags.quiet,
                    .values_before = train::values_before(RunSettings(type).all())});
  if (result.signal) return 128 + result.signal;
  if (!flags.quiet && result.best_step > 0)
    std::printf("done: %ld steps, best validation loss %.4f at step %ld, in %s\n",
                static_cast<long>(result.steps), result.best_loss,
                static_cast<long>(result.best_step), flags.out.c_str());
  return 0;
}

struct KindHelp {
  Kind kind;
  const char *about, *example;
};
constexpr KindHelp kinds[] = {
    {Kind::translation,
     "Train a translation model on parallel text: PREFIX.de and PREFIX.en, plain or .gz.\n"
     "Without --train it learns the bundled German-English corpus.",
     "slope train translation --train data/train --valid data/val --epochs 10 --out runs/de-en"},
    {Kind::language_model,
     "Train a language model on the characters of a text.\n"
     "Without --text it learns the English side of the bundled corpus.",
     "slope train lm --text shakespeare.txt --steps 2000 --out runs/shakespeare"},
    {Kind::points, "Train a model that tells the points of two moons apart, and draw its boundary.",
     "slope train points --out runs/moons"},
};

}  // namespace

void add_train(Command& slope) {
  static Flags flags;
  const TrainChoice choice = train_choice();
  Command command =
      slope.subcommand("train",
                       "Train a model: translation, lm or points.\n"
                       "Example: slope train translation --preset quickstart --out runs/first");
  command.chooses_subcommand();
  const auto add = [&](const std::string& word, const std::string& help, const ModelType& type) {
    Command sub = command.subcommand(word, help);
    if (word != choice.word) return;  // its flags are not needed
    add_flags(sub, flags, type);
    sub.runs([&type] { return run(flags, type); });
  };
  for (const KindHelp& k : kinds)
    add(name(k.kind),
        fmt::format("{}\nModels: {}.\nExample: {}", k.about,
                    fmt::join(models::model_names(k.kind), ", "), k.example),
        choice.type ? *choice.type : models::default_model(k.kind));
  for (const models::ModelTypePtr& type : models::zoo())
    add(type->name,
        fmt::format(
            "Short for: slope train {0} --model {1}\nExample: slope train {1} --out runs/first",
            name(type->kind), type->name),
        *type);
}

}  // namespace slope::tools
