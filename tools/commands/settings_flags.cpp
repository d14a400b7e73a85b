#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/files/system_call.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/models/run/own_text.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/run/settings.h>
#include <slope/tools/commands/settings_flags.h>
#include <slope/tools/commands/train_choice.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace slope::tools {

using models::find_setting, models::Kind, models::ModelType;
using train::Setting, train::Settings, train::RunSettings;

static std::string flag_of(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

std::vector<InputArgument> text_inputs(const RunSettings& settings) {
  std::vector<InputArgument> inputs;
  if (settings.type().kind == Kind::language_model)
    if (const std::string& text = settings.data<train::TextSettings>().text; !text.empty())
      inputs.push_back({"--text", text});
  if (settings.type().kind == Kind::translation) {
    const auto& d = settings.data<train::ParallelTextSettings>();
    const auto add = [&](const char* flag, const std::string& prefix) {
      if (prefix.empty()) return;
      for (const std::string& side : {d.source, d.target})
        inputs.push_back({flag, data::plain_or_gz(prefix + "." + side)});
    };
    add("--train", d.train);
    add("--valid", d.valid);
  }
  return inputs;
}

bool is_read_once(const InputArgument& input) {
  return input.path == "-" || sys::kind_followed(input.path) == sys::Kind::other;
}

void add_settings_flags(Command& command, SettingsFlags& flags, const ModelType& type) {
  command.option("--config", flags.config, "JSON file with any of the settings below as keys")
      .takes_name("FILE");
  if (const auto presets = models::preset_names(type.kind); !presets.empty())
    command
        .option("--preset", flags.preset,
                fmt::format("a named set of settings: {}", fmt::join(presets, ", ")))
        .takes_name("NAME");
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
    (is_name ? option.takes_name(word) : option.takes(word))
        .in_group("Settings (keys of config.json, with their defaults)");
  }
}

namespace {

// A run lasts `steps` steps if that is not 0, else `epochs` epochs. If only epochs are given, steps
// of a preset or the defaults must not override them.
void steps_or_epochs(train::TrainSettings& t, const std::vector<std::string>& given) {
  const auto is_given = [&](const char* key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  if (is_given("epochs") && !is_given("steps")) t.steps = 0;
}

// Refuses a flag that has no effect with the optimizer, schedule or tokenizer of this run.
void refuse_without_effect(const Settings& settings, const SettingsFlags& flags) {
  for (const Setting& s : settings) {
    if (s.of.empty() || !flags.values.contains(s.key)) continue;
    const std::string& value = *std::get<std::string*>(find_setting(settings, s.of)->place);
    SLOPE_CHECK_AS(UsageError,
                   std::find(s.values_of.begin(), s.values_of.end(), value) != s.values_of.end(),
                   "{}: does nothing with {} {}; it belongs to {}", flag_of(s.key), flag_of(s.of),
                   value, fmt::join(s.values_of, ", "));
  }
}

std::string subword_model_of(RunSettings& settings) {
  const Settings all = settings.all();
  const Setting* s = find_setting(all, "subword_model");
  return s ? *std::get<std::string*>(s->place) : "";
}

// Refuses flags that have no effect with this kind of model or beside another flag.
void refuse_idle_flags(RunSettings& settings, const SettingsFlags& flags) {
  const auto refuse = [&](const char* key, const std::string& why) {
    if (flags.values.contains(key))
      throw UsageError(fmt::format("{}: does nothing {}", flag_of(key), why));
  };
  if (settings.type().kind == Kind::points && settings.training.label_smoothing > 0)
    refuse("label_smoothing", "with points; it belongs to translation, lm");
  if (const std::string subwords = subword_model_of(settings); !subwords.empty())
    for (const char* key : {"vocab_size", "subword_kind"})
      refuse(key, fmt::format("with --subword-model {}, which has its subwords already", subwords));
}

// A run named by --from brings its tokenizers. `taken`: the settings with its own included.
void refuse_other_tokenizers(RunSettings& settings, RunSettings& taken,
                             const SettingsFlags& flags) {
  const Settings now = settings.all(), then = taken.all();
  for (const Setting& is : now) {
    const std::string& key = is.key;
    const Setting* before = find_setting(then, key);
    if (!train::decides_tokens(key) || !flags.values.contains(key) || !before) continue;
    const std::string was = train::to_text(*before);
    SLOPE_CHECK_AS(UsageError, train::to_text(is) == was,
                   "{} {}: the tokenizers are those of --from {}, whose {} is {}; leave out {}",
                   flag_of(key), flags.values.at(key), flags.values.at("from"), key, was,
                   flag_of(key));
  }
}

// A resumed run keeps its subwords, `own`: another file named for them must hold the same.
void refuse_other_subwords(const std::string& named, const std::string& own,
                           const std::string& resumed) {
  SLOPE_CHECK_AS(UsageError, read_file(named) == read_file(own),
                 "--subword-model {}: holds other subwords than {} was started with; leave it out",
                 named, resumed);
}

// If only a parallel text is named (no preset, config or model), its size decides the settings;
// flags still override them.
void settings_from_text_size(RunSettings& settings, const SettingsFlags& flags) {
  const bool is_default = &settings.type() == &models::default_model(Kind::translation);
  const auto train = flags.values.find("train");
  if (!is_default || train == flags.values.end() || train->second.empty() ||
      !flags.preset.empty() || !flags.config.empty() || flags.values.contains("from"))
    return;
  RunSettings given = settings;  // with the flags: they name the text and may give the steps
  for (const auto& [key, text] : flags.values) given.set(key, text);
  const auto& d = given.data<train::ParallelTextSettings>();
  for (const InputArgument& input : text_inputs(given))
    SLOPE_CHECK_AS(UsageError, input.name != "--train" || !is_read_once(input),
                   "{}: can be read only once, but the size of the text decides the settings; give "
                   "--preset, or a file",
                   input.path);
  const auto n =
      static_cast<int64_t>(data::read_parallel(d.train, d.source, d.target).source.size());
  const bool counts_epochs = flags.values.contains("epochs") && !flags.values.contains("steps");
  const int64_t batch = flags.values.contains("batch_size") ? given.training.batch_size : 256,
                steps = given.training.steps > 0 ? given.training.steps
                        : counts_epochs          ? given.training.epochs * ((n + batch - 1) / batch)
                                                 : train::steps_for_pairs(n);
  for (const auto& [key, value] : train::settings_for_pairs(n, steps))
    if (key != "average" || !flags.values.contains("swa_start")) settings.set(key, value);
  if (d.tokens.tokenizer == "subwords") {
    const bool can_cut_in_several_ways =
        d.tokens.subword_kind == "bpe" && d.tokens.subword_model.empty();
    if (can_cut_in_several_ways) settings.set("subword_dropout", "0.1");
    return;
  }
  settings.set("shared_vocabulary", "false");
  settings.set("tie_embeddings", "false");
}

}  // namespace

void gather(RunSettings& settings, const SettingsFlags& flags, const std::string& resumed) {
  const std::string state = resumed.empty() ? "" : train::state_to_resume(resumed),
                    config = resumed.empty() ? "" : train::config_to_resume(resumed);
  if (!state.empty())
    train::from_saved_json(settings.all(), train::RunState::read(state).settings, state);
  const std::string subwords_before = subword_model_of(settings);
  // the checkpoint's config may have been edited; changes to fixed settings are refused later
  if (!config.empty())
    train::from_saved_json(settings.all(), train::read_json_text(config), config);
  std::optional<RunSettings> taken;  // the settings after taking those of --from's run
  if (const auto from = flags.values.find("from"); from != flags.values.end())
    if (config.empty() && sys::is_folder(from->second)) {
      settings.take_model(
          train::read_config(train::checkpoint_folder(from->second) + "/config.json"),
          from->second);
      taken.emplace(settings);
    }
  if (state.empty()) settings_from_text_size(settings, flags);
  if (!flags.preset.empty()) settings.apply(flags.preset);
  SLOPE_CHECK_AS(UsageError,
                 resumed.empty() || !state.empty() || !flags.values.empty() ||
                     !flags.preset.empty() || !flags.config.empty(),
                 "--resume: {} holds no run; to start one, leave out --resume or give settings",
                 resumed);
  std::vector<std::string> given;
  if (!flags.config.empty()) {
    // choose_training has read the file: a pipe can be read only once
    const std::string json = train_choice().config_text;
    given = train::from_json(settings.all(), json, InputStream::name_of(flags.config));
  }
  steps_or_epochs(settings.training, given);
  given.clear();
  for (const auto& [key, text] : flags.values) {
    settings.set(key, text);
    given.push_back(key);
  }
  steps_or_epochs(settings.training, given);
  std::vector<InputArgument> inputs = text_inputs(settings);
  if (!flags.config.empty()) inputs.insert(inputs.begin(), {"--config", flags.config});
  refuse_shared_input(inputs);
  if (taken) refuse_other_tokenizers(settings, *taken, flags);
  refuse_without_effect(settings.all(), flags);
  refuse_idle_flags(settings, flags);
  const std::string subwords = subword_model_of(settings);
  if (!config.empty() && !subwords.empty() &&
      (subwords != subwords_before || flags.values.contains("subword_model")))
    refuse_other_subwords(subwords, sys::parent(config) + "/source.model", resumed);
  SLOPE_CHECK_AS(UsageError, settings.training.swa_start > 0 || !flags.values.contains("swa_every"),
                 "--swa-every: does nothing without --swa-start");
  train::check_settings(settings.training, /*total=*/0);  // again when the number of steps is known
}

std::unique_ptr<train::ModelTask> make_task(RunSettings& settings, const std::string& resumed) {
  const std::string from = settings.training.from,
                    config = resumed.empty() ? "" : train::config_to_resume(resumed);
  const bool starts_from = !from.empty() && config.empty();
  const std::string run = starts_from && sys::is_folder(from) ? train::checkpoint_folder(from) : "";
  // a resume takes its own run's: learning them again takes time, and what they were made from may
  // be gone
  settings.tokenizers_from = config.empty() ? run : sys::parent(config);
  if (const std::string state = resumed.empty() ? "" : train::state_to_resume(resumed);
      !state.empty())
    settings.resumed = {resumed, train::RunState::read(state).fingerprint};
  auto task = train::make_task(settings, bundled_corpus);
  if (starts_from) task->start_from(run.empty() ? from : run + "/model.safetensors");
  return task;
}

void add_kinds_and_models(Command& command, const std::function<std::string(Kind)>& help,
                          const std::function<std::string(const ModelType&)>& short_help,
                          const std::function<void(Command&, const ModelType&)>& add) {
  const TrainChoice choice = train_choice();
  command.chooses_subcommand();
  const auto add_one = [&](const std::string& word, const std::string& text,
                           const ModelType& type) {
    Command sub = command.subcommand(word, text);
    if (word == choice.word) add(sub, type);  // only the chosen subcommand needs its flags
  };
  for (const Kind kind : models::all_kinds)
    add_one(name(kind), help(kind), choice.type ? *choice.type : models::default_model(kind));
  for (const models::ModelTypePtr& type : models::zoo())
    add_one(type->name, short_help(*type), *type);
}

}  // namespace slope::tools
