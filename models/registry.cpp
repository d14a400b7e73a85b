#include <slope/core/error.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/models/char_gpt.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/llama.h>
#include <slope/models/microgpt.h>
#include <slope/models/mlp.h>
#include <slope/models/nn_transformer.h>
#include <slope/models/postnorm.h>
#include <slope/models/postnorm_gelu.h>
#include <slope/models/prenorm.h>
#include <slope/models/registry.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/scalar_norm.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace slope::models {

namespace {

// The settings of an encoder-decoder that is small enough to check the gradient of every element.
template <class M>
ConfigType<M> small() {
  return {.d_model = 8,
          .n_heads = 2,
          .n_encoder_layers = 1,
          .n_decoder_layers = 1,
          .d_feedforward = 12,
          .max_len = 8};
}
template <class M>
ModelTypePtr encoder_decoder(std::string name, std::string about) {
  return translation<M>(std::move(name), std::move(about), small<M>());
}

// The only list of models.
std::vector<ModelTypePtr> bundled() {
  return {
      encoder_decoder<postnorm::PostNormTransformer>(
          "postnorm", "encoder-decoder Transformer, post-norm as published in 2017"),
      encoder_decoder<nn_transformer::TransformerModel>(
          "nn-transformer",
          "the same, built on PyTorch's nn.Transformer: packed projections, final norms"),
      encoder_decoder<prenorm::Transformer>(
          "prenorm", "pre-norm, norms divide by standard deviation + eps; sinusoidal positions"),
      encoder_decoder<postnorm_gelu::Transformer>(
          "postnorm-gelu", "post-norm, GELU, scores / sqrt(d_model); sinusoidal positions"),
      encoder_decoder<scalar_norm::Transformer>(
          "scalar-norm", "pre-norm, norms with one gain for all channels; log-probabilities"),
      language_model<char_gpt::CharGpt>(
          "char-gpt", "decoder-only Transformer on characters, nanoGPT's recipe for a CPU",
          {.block_size = 12, .n_layer = 2, .n_head = 2, .n_embd = 8, .bias = true}),
      language_model<microgpt::MicroGpt>(
          "microgpt", "the smallest complete GPT, 4192 parameters: the first Transformer to read",
          {.block_size = 12, .n_head = 2, .n_embd = 8}),
      language_model<llama::LlamaForCausalLM>(
          "llama", "RMSNorm, rotary positions, SwiGLU and grouped queries, as in Llama",
          {.block_size = 12,
           .num_hidden_layers = 2,
           .num_attention_heads = 4,
           .num_key_value_heads = 2,
           .hidden_size = 8,
           .intermediate_size = 12}),
      points<mlp::TwoMoonsMlp>("mlp", "two tanh layers and a logit: read this one first"),
  };
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> presets = {
      {"quickstart",
       "postnorm",
       "the bundled corpus within minutes",
       {{"tokenizer", "words"},
        {"lowercase", "true"},
        {"d_model", "128"},
        {"n_heads", "4"},
        {"n_encoder_layers", "2"},
        {"n_decoder_layers", "2"},
        {"d_feedforward", "256"},
        {"max_len", "40"},
        {"batch_size", "64"},
        {"steps", "2500"},
        {"validate_every", "500"},
        {"lr", "0.003"},
        {"beta2", "0.98"},
        {"schedule", "linear"},
        {"warmup", "200"}}},
      {"multi30k",
       "postnorm",
       "the published recipe on Multi30k: the defaults, but with words",
       {{"tokenizer", "words"}, {"lowercase", "true"}}},
      {"multi30k-best",
       "postnorm",
       "the best recipe found for Multi30k that trains in half an hour on two cores "
       "(docs/figures.md)",
       {{"tokenizer", "words"},
        {"lowercase", "true"},
        {"dropout", "0.12"},
        {"epochs", "12"},
        {"label_smoothing", "0.1"},
        {"average", "0.995"},
        {"lr", "0.0008"},
        {"beta2", "0.98"},
        {"schedule", "linear"},
        {"warmup", "300"}}},
      {"multi30k-subwords",
       "postnorm",
       "a small deep model on 8000 subwords that both languages of Multi30k share",
       {{"tokenizer", "subwords"},
        {"lowercase", "true"},
        {"vocab_size", "8000"},
        {"shared_vocabulary", "true"},
        {"tie_embeddings", "true"},
        {"d_model", "128"},
        {"n_heads", "4"},
        {"n_encoder_layers", "4"},
        {"n_decoder_layers", "4"},
        {"d_feedforward", "256"},
        {"dropout", "0.15"},
        {"attention_dropout", "0"},
        {"activation_dropout", "0"},
        {"subword_dropout", "0.1"},
        {"batch_size", "256"},
        {"steps", "8500"},
        {"validate_every", "500"},
        {"label_smoothing", "0.1"},
        {"average", "0.998"},
        {"lr", "0.003"},
        {"beta2", "0.98"},
        {"schedule", "inverse_sqrt"},
        {"warmup", "1500"}}},
      {"names",
       "microgpt",
       "Karpathy's recipe: one name per step; --text gives the file of names",
       {{"documents", "lines"},
        {"steps", "1000"},
        {"batch_size", "1"},
        {"optimizer", "adam"},
        {"lr", "0.01"},
        {"beta1", "0.85"},
        {"beta2", "0.99"},
        {"weight_decay", "0"},
        {"schedule", "linear"},
        {"warmup", "0"},
        {"lr_min", "0"},
        {"clip", "0"}}},
  };
  return presets;
}

size_t n_bundled = 0;
std::vector<ModelTypePtr>& types() {
  static std::vector<ModelTypePtr> all = [] {
    std::vector<ModelTypePtr> list = bundled();
    n_bundled = list.size();
    return list;
  }();
  return all;
}

// The flags of slope train and slope sweep that are not settings.
constexpr const char* further_flags[] = {"config", "grid",  "help",   "jobs",   "out",
                                         "preset", "quiet", "resume", "threads"};

bool is_name(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == text.npos &&
         text[0] != '-';
}

[[noreturn]] void refuse(const std::string& name, const std::vector<std::string>& known,
                         const char* of) {
  throw UsageError(fmt::format("no {}model is called {}{}; there {} {}", of, quoted_if_empty(name),
                               did_you_mean(name, known), known.size() == 1 ? "is" : "are",
                               fmt::join(known, ", ")));
}

}  // namespace

const char* name(Kind kind) {
  switch (kind) {
    case Kind::translation: return "translation";
    case Kind::language_model: return "lm";
    case Kind::points: return "points";
  }
  return "";
}

std::span<const ModelTypePtr> zoo() { return types(); }

void register_model(ModelTypePtr type) {
  SLOPE_CHECK_AS(
      UsageError, is_name(type->name),
      "register_model: '{}' is not a valid name; use lower-case letters, digits and hyphens",
      type->name);
  for (const Kind kind : all_kinds)
    SLOPE_CHECK_AS(UsageError, type->name != name(kind),
                   "register_model: {} is the name of a kind; give the model another one",
                   type->name);
  SLOPE_CHECK_AS(UsageError, !find_model(type->name),
                 "register_model: there is already a model called {}; give this one another name",
                 type->name);
  const auto config = type->config();
  for (const Setting& s : config->settings()) {
    const auto check = [&](double value) {
      SLOPE_CHECK_AS(UsageError, value >= s.least && value <= s.most,
                     "register_model: {}: the default of {}, {}, is outside {} to {}", type->name,
                     s.key, value, s.least, s.most);
    };
    if (const auto* integer = std::get_if<int64_t*>(&s.place))
      check(static_cast<double>(**integer));
    if (const auto* real = std::get_if<double*>(&s.place)) check(**real);
    if (const auto* text = std::get_if<std::string*>(&s.place))
      SLOPE_CHECK_AS(UsageError,
                     s.choices.empty() ||
                         std::find(s.choices.begin(), s.choices.end(), **text) != s.choices.end(),
                     "register_model: {}: the default of {}, '{}', is none of {}", type->name,
                     s.key, **text, fmt::join(s.choices, ", "));
  }
  std::set<std::string> keys(std::begin(further_flags), std::end(further_flags));
  train::RunSettings run(*type);
  for (const Setting& s : run.all())
    SLOPE_CHECK_AS(UsageError, keys.insert(s.key).second,
                   "register_model: {}: the setting {} is one of slope's own; give it another name",
                   type->name, s.key);
  types().push_back(std::move(type));
}

const ModelType* find_model(const std::string& name) {
  const auto at = std::find_if(types().begin(), types().end(),
                               [&](const ModelTypePtr& type) { return type->name == name; });
  return at == types().end() ? nullptr : at->get();
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelTypePtr& type : types()) names.push_back(type->name);
  return names;
}

std::vector<std::string> model_names(Kind kind) {
  std::vector<std::string> names;
  for (const ModelTypePtr& type : types())
    if (type->kind == kind) names.push_back(type->name);
  return names;
}

const ModelType& model_named(const std::string& name) {
  if (const ModelType* type = find_model(name)) return *type;
  refuse(name, model_names(), "");
}

const ModelType& model_named(const std::string& name, Kind kind) {
  const ModelType* type = find_model(name);
  if (type && type->kind == kind) return *type;
  refuse(name, model_names(kind), fmt::format("{} ", models::name(kind)).c_str());
}

const ModelType& default_model(Kind kind) { return *find_model(model_names(kind).front()); }

bool is_bundled(const ModelType& type) {
  const auto end = types().begin() + static_cast<std::ptrdiff_t>(n_bundled);
  return std::any_of(types().begin(), end, [&](const auto& known) { return known.get() == &type; });
}

std::span<const Preset> presets() { return all_presets(); }

const Preset* find_preset(const std::string& name) {
  for (const Preset& preset : all_presets())
    if (name == preset.name) return &preset;
  return nullptr;
}

std::vector<std::string> preset_names(Kind kind) {
  std::vector<std::string> names;
  for (const Preset& preset : all_presets())
    if (find_model(preset.model)->kind == kind) names.emplace_back(preset.name);
  return names;
}

}  // namespace slope::models
