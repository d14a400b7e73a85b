#include <slope/core/error.h>
#include <slope/core/files/system_call.h>
#include <slope/core/text/spelling.h>
#include <slope/models/registry.h>
#include <slope/models/run/checkpoint_files.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/run/settings.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

namespace slope::train {

using models::Kind;

RunSettings::RunSettings(const models::ModelType& type)
    : type_(&type), model_(type.name), config_(type.config()) {
  switch (type.kind) {
    case Kind::translation: data_ = ParallelTextSettings(); break;
    case Kind::language_model: data_ = TextSettings(); break;
    case Kind::points: data_ = MoonsSettings(); break;
  }
  training = std::visit([](const auto& data) { return data.training(); }, data_);
}

RunSettings::RunSettings(const RunSettings& other)
    : training(other.training), tokenizers_from(other.tokenizers_from), resumed(other.resumed),
      type_(other.type_), model_(other.model_), config_(other.config_->clone()),
      data_(other.data_) {}

void RunSettings::take_model(const RunSettings& run, const std::string& folder) {
  SLOPE_CHECK_AS(UsageError, run.type_ == type_,
                 "--from: {} is a run of {}, the model to train is {}; train {} too", folder,
                 run.model_, model_, run.model_);
  config_ = run.config_->clone();
  if (auto* text = std::get_if<ParallelTextSettings>(&data_)) {
    const auto& other = run.data<ParallelTextSettings>();
    text->tokens = other.tokens;
    text->source = other.source, text->target = other.target;
    text->shared_vocabulary = other.shared_vocabulary;
  } else if (auto* one = std::get_if<TextSettings>(&data_)) {
    one->tokens = run.data<TextSettings>().tokens;
    one->documents = run.data<TextSettings>().documents;
  }
}

Settings RunSettings::all() {
  Settings all = {{"model", &model_, "the model", 0, 0, {model_}}};
  const auto add = [&](Settings settings) {
    std::move(settings.begin(), settings.end(), std::back_inserter(all));
  };
  add(config_->settings());
  add(std::visit([](auto& data) { return data.settings(); }, data_));
  if (TokenizerSettings* t = tokenizer_settings()) add(t->settings());
  add(training.settings());
  return all;
}

Settings RunSettings::of_weights() {
  std::vector<decltype(Setting::place)> places = {&model_};
  const auto add = [&](const Settings& settings) {
    for (const Setting& s : settings) places.push_back(s.place);
  };
  add(config_->settings());
  if (TokenizerSettings* t = tokenizer_settings()) {
    add(t->settings());
    std::erase(places, decltype(Setting::place)(&t->subword_model));
  }
  if (auto* pairs = std::get_if<ParallelTextSettings>(&data_))
    places.insert(places.end(), {&pairs->source, &pairs->target, &pairs->shared_vocabulary});
  if (auto* text = std::get_if<TextSettings>(&data_)) places.push_back(&text->documents);
  Settings settings = all();
  std::erase_if(settings, [&](const Setting& s) {
    return std::find(places.begin(), places.end(), s.place) == places.end();
  });
  return settings;
}

TokenizerSettings* RunSettings::tokenizer_settings() {
  if (auto* text = std::get_if<ParallelTextSettings>(&data_)) return &text->tokens;
  if (auto* text = std::get_if<TextSettings>(&data_)) return &text->tokens;
  return nullptr;
}

data::TokenizerOptions RunSettings::tokenizer() const {
  RunSettings copy = *this;
  const TokenizerSettings* t = copy.tokenizer_settings();
  // a language model on characters needs no <unk>: its vocabulary has all characters of the text
  const bool specials = type_->kind == Kind::translation || t->tokenizer != "characters";
  return {.kind = t->tokenizer,
          .lowercase = t->lowercase,
          .min_freq = t->min_freq,
          .algorithm = t->subword_kind,
          .vocab_size = t->vocab_size,
          .model_file = t->subword_model,
          .specials = specials ? data::Specials::sentence : data::Specials::none};
}

std::string RunSettings::to_json() const {
  RunSettings copy = *this;
  return train::to_json(copy.all(), 1) + "\n";
}

std::string RunSettings::of_weights_json() const {
  RunSettings copy = *this;
  return train::to_json(copy.of_weights());
}

void RunSettings::set(const std::string& key, const std::string& text) {
  const Settings settings = all();
  if (const Setting* s = models::find_setting(settings, key)) return set_from_text(*s, text);
  std::vector<std::string> known;
  for (const Setting& s : settings) known.push_back(s.key);
  throw UsageError(fmt::format("{} has no setting {}{}", model_, key, did_you_mean(key, known)));
}

void RunSettings::apply(const std::string& name) {
  const models::Preset* preset = models::find_preset(name);
  const std::vector<std::string> own = models::preset_names(type_->kind);
  const char* const kind = models::name(type_->kind);
  SLOPE_CHECK_AS(UsageError, preset, "--preset {}: {} has {}{}", name, kind,
                 own.empty() ? "no presets" : fmt::format("{}", fmt::join(own, ", ")),
                 did_you_mean(name, own));
  const Kind made_for = models::find_model(preset->model)->kind;
  SLOPE_CHECK_AS(UsageError, made_for == type_->kind, "--preset {}: is one of {}, not of {}", name,
                 models::name(made_for), kind);
  const auto gives = [&](const char* key) {
    return std::any_of(preset->values.begin(), preset->values.end(),
                       [&](const auto& value) { return std::string(key) == value.first; });
  };
  for (const auto& [key, value] : preset->values) set(key, value);
  if (gives("epochs") && !gives("steps")) training.steps = 0;
}

namespace {

// InputError if the weights in the folder of `file` were saved with other settings.
void check_weights_beside(const std::string& file, RunSettings settings) {
  const std::string weights = sys::parent(file) + "/model.safetensors";
  if (sys::kind_followed(weights) != sys::Kind::file) return;
  const Metadata metadata = inspect_safetensors(weights).metadata;
  const auto saved = metadata.find(settings_in_metadata);
  if (saved == metadata.end()) return;  // not saved by slope
  const std::vector<std::string> other = blame(weights, [&] {
    check_json_size(saved->second, "its settings");
    RunSettings defaults(settings.type());
    const std::string before = completed(saved->second, values_before(defaults.of_weights()));
    return differences(settings.of_weights(), before);
  });
  SLOPE_CHECK_INPUT(other.empty(), "{}: is not of the weights beside it; of theirs, {}{}", file,
                    fmt::join(std::span(other).first(std::min<size_t>(other.size(), 3)), "; "),
                    other.size() > 3 ? fmt::format("; and {} more", other.size() - 3) : "");
}

// `fits` may refuse the model before the settings are read.
template <class F>
RunSettings read(const std::string& file, const F& fits) {
  const std::string text = read_json_text(file), name = model_of(text, file);
  refuse_export(text, file);
  const models::ModelType* type = models::find_model(name);
  SLOPE_CHECK_INPUT(type, "{}: is of a model that this program does not know, {}; it knows {}",
                    file, name.empty() ? "without a name" : name,
                    fmt::join(models::model_names(), ", "));
  fits(*type);
  RunSettings settings(*type);
  from_saved_json(settings.all(), text, file);
  check_weights_beside(file, settings);
  return settings;
}

}  // namespace

RunSettings read_config(const std::string& file) {
  return read(file, [](const models::ModelType&) {});
}

RunSettings read_config(const std::string& file, Kind kind, const char* what_for) {
  return read(file, [&](const models::ModelType& type) {
    SLOPE_CHECK_INPUT(
        type.kind == kind,
        "{}: belongs to a model of another kind: {} ({}), where one of kind {} is needed {}", file,
        type.name, name(type.kind), name(kind), what_for);
  });
}

bool decides_data(const RunSettings& settings, const std::string& key) {
  const std::set<std::string> keys = {"train",
                                      "valid",
                                      "source",
                                      "target",
                                      "text",
                                      "documents",
                                      "validation_size",
                                      "validation_share",
                                      "validation_points",
                                      "noise",
                                      "overfit_batch"};
  const Kind kind = settings.type().kind;
  const bool draws_validation =
      kind == Kind::points ||
      (kind == Kind::language_model && settings.data<TextSettings>().documents == "lines");
  return keys.contains(key) || (key == "seed" && draws_validation);
}

}  // namespace slope::train
