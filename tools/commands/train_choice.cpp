#include <slope/core/error.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/files/system_call.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/run/run_state.h>
#include <slope/models/run/settings.h>
#include <slope/tools/commands/train_choice.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace slope::tools {

namespace {

using models::Kind, models::ModelType;

TrainChoice chosen;

// The last value of a flag: "--model NAME" or "--model=NAME". A word that begins with -- is none:
// where the flags are known, command_line.cpp says which flag lacks its value.
std::optional<std::string> value_of(const std::vector<std::string>& words,
                                    const std::string& flag) {
  for (size_t i = words.size(); i-- > 0;) {
    if (words[i].starts_with(flag + "=")) return words[i].substr(flag.size() + 1);
    if (words[i] == flag && i + 1 < words.size() && !words[i + 1].starts_with("--"))
      return words[i + 1];
  }
  return std::nullopt;
}

std::optional<Kind> kind_named(const std::string& word) {
  for (const Kind kind : models::all_kinds)
    if (word == name(kind)) return kind;
  return std::nullopt;
}

// The model of the resumed run; empty if there is none.
std::string model_of_run(const std::vector<std::string>& words) {
  const auto out = value_of(words, "--out");
  bool resumes = false;
  for (const std::string& word : words)
    if (word == "--resume" || word.starts_with("--resume=")) resumes = word != "--resume=false";
  if (!out || out->empty() || !resumes) return "";
  const std::string state = train::state_to_resume(*out);
  return state.empty() ? "" : train::model_of(train::RunState::read(state).settings, state);
}

const ModelType& model_for(Kind kind, const std::vector<std::string>& words) {
  const std::string before = model_of_run(words);
  if (const auto given = value_of(words, "--model")) {
    const ModelType& type = models::model_named(*given, kind);
    SLOPE_CHECK_AS(UsageError, before.empty() || before == type.name,
                   "--resume: {} holds a run of {}; leave out --model {}, or choose another --out",
                   *value_of(words, "--out"), before, *given);
    return type;
  }
  if (!before.empty()) {
    const ModelType* type = models::find_model(before);
    SLOPE_CHECK_INPUT(type,
                      "--resume: this program does not know the run's model, {}; known models: {}",
                      before, fmt::join(models::model_names(), ", "));
    SLOPE_CHECK_AS(UsageError, type->kind == kind,
                   "--resume: {} holds a run of {}; say slope {} {}, or choose another --out",
                   *value_of(words, "--out"), before, words[0], name(type->kind));
    return *type;
  }
  if (const auto from = value_of(words, "--from"); from && sys::is_folder(*from)) {
    const ModelType& type =
        train::read_config(train::checkpoint_folder(*from) + "/config.json").type();
    SLOPE_CHECK_AS(UsageError, type.kind == kind, "--from: {} is a run of {}; say slope {} {}",
                   *from, type.name, words[0], name(type.kind));
    return type;
  }
  if (!chosen.config_text.empty())
    if (const std::string named =
            train::model_of(chosen.config_text, InputStream::name_of(*value_of(words, "--config")));
        !named.empty())
      return models::model_named(named, kind);
  if (const auto preset = value_of(words, "--preset")) {
    const std::vector<std::string> known = models::preset_names(kind);
    const models::Preset* found = models::find_preset(*preset);
    SLOPE_CHECK_AS(UsageError, found, "--preset {}: {} has {}{}", quoted_if_empty(*preset),
                   name(kind),
                   known.empty() ? "no presets" : fmt::format("{}", fmt::join(known, ", ")),
                   did_you_mean(*preset, known));
    const ModelType& type = *models::find_model(found->model);
    SLOPE_CHECK_AS(UsageError, type.kind == kind,
                   "--preset {}: is one of {}; say slope {} {} --preset {}", *preset,
                   name(type.kind), words[0], name(type.kind), *preset);
    return type;
  }
  return models::default_model(kind);
}

// For `slope train --text f`: says which kind has such a setting, that of the named model if
// one is named; all kinds if this leaves none or several.
[[noreturn]] void refuse_without_kind(const std::vector<std::string>& words) {
  const std::string &command = words[0], &flag = words[1];
  std::string key = flag.substr(2, flag.find('=') - 2);
  std::replace(key.begin(), key.end(), '-', '_');
  const auto named = value_of(words, "--model");
  const ModelType* type = named ? models::find_model(*named) : nullptr;
  std::vector<std::string> kinds, fitting;
  for (const Kind kind : models::all_kinds) {
    kinds.push_back(name(kind));
    train::RunSettings settings(models::default_model(kind));
    const bool has_key = models::find_setting(settings.all(), key) != nullptr;
    if (has_key && (!type || kind == type->kind)) fitting.push_back(name(kind));
  }
  if (fitting.size() == 1)
    throw UsageError(
        fmt::format("{0}: say what to train before {1}: slope {0} {2} {1}; see slope {0} --help",
                    command, flag, fitting[0]));
  throw UsageError(
      fmt::format("{0}: say what to train before {1}: {2} or a model; see slope {0} --help",
                  command, flag, fmt::join(kinds, ", ")));
}

}  // namespace

void choose_training(const std::vector<std::string>& words) {
  chosen = {};
  if (words.size() < 2 || (words[0] != "train" && words[0] != "sweep")) return;
  const std::string& word = words[1];
  if (word.starts_with("--") && word != "--help") refuse_without_kind(words);
  chosen.word = word;
  if (std::find(words.begin(), words.end(), "--help") != words.end() &&
      !value_of(words, "--model")) {
    if (const auto kind = kind_named(word)) chosen.type = &models::default_model(*kind);
    return;
  }
  const auto config = value_of(words, "--config");
  if (config && !config->empty() && (kind_named(word) || models::find_model(word)))
    chosen.config_text = train::read_given_json(*config);
  if (const auto kind = kind_named(word)) {
    chosen.type = &model_for(*kind, words);
  } else if (const ModelType* type = models::find_model(word)) {
    const std::string before = model_of_run(words);
    SLOPE_CHECK_AS(UsageError, before.empty() || before == word,
                   "--resume: {} holds a run of {}, not of {}; choose another --out",
                   *value_of(words, "--out"), before, word);
    chosen.type = type;
  } else if (!word.starts_with("-")) {
    std::vector<std::string> known;
    for (const Kind kind : models::all_kinds) known.push_back(name(kind));
    for (const std::string& model : models::model_names()) known.push_back(model);
    throw UsageError(fmt::format("{}: no kind or model is called {}{}; there are {}", words[0],
                                 quoted_if_empty(word), did_you_mean(word, known),
                                 fmt::join(known, ", ")));
  }
}

TrainChoice train_choice() { return chosen; }

}  // namespace slope::tools
