#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/run/checkpoint_files.h>
#include <slope/models/train/rows.h>

#include <fmt/ranges.h>

namespace slope::train {

Settings settings_of(TranslationSettings& s) {
  constexpr double any = 1e300;
  Settings all = {
      {"model", &s.model, "the model", -any, any, {"c-scratch"}},
      {"d_model", &s.d_model, "channels", 1, 1 << 16},
      {"n_heads", &s.n_heads, "attention heads; divides d_model", 1, 1 << 12},
      {"n_encoder_layers", &s.n_encoder_layers, "layers of the encoder", 1, 1000},
      {"n_decoder_layers", &s.n_decoder_layers, "layers of the decoder", 1, 1000},
      {"d_feedforward", &s.d_feedforward, "inner width of the feed-forward parts", 1, 1 << 20},
      {"dropout", &s.dropout, "probability that a value is dropped in training", 0, 0.999},
      {"max_len", &s.max_len, "positions: the longest sentence in tokens, <sos> and <eos> included",
       3, 1 << 20},
      {"tie_embeddings",
       &s.tie_embeddings,
       "the target's embedding is the output projection's weight too",
       -any,
       any,
       {},
       false,
       "false"},
      {"init",
       &s.init,
       "initial weights of two or more dims",
       -any,
       any,
       {"xavier_uniform", "default"}},
      {"train",
       &s.train,
       "prefix of the training text: PREFIX.de and PREFIX.en, plain or .gz; empty: the bundled "
       "corpus",
       -any,
       any,
       {},
       true},
      {"valid", &s.valid, "prefix of the validation text", -any, any, {}, true},
      {"source", &s.source, "source language: ending of the files"},
      {"target", &s.target, "target language: ending of the files"},
      {"min_freq", &s.min_freq, "how often a word must occur to be known", 1, 1e9},
  };
  for (Setting& setting : settings_of(s.training)) all.push_back(std::move(setting));
  return all;
}

namespace {
struct Preset {
  const char* name;
  void (*apply)(TranslationSettings& s);
};
constexpr Preset presets[] = {
    // The bundled corpus within minutes.
    {"quickstart",
     [](TranslationSettings& s) {
       s.d_model = 128, s.n_heads = 4, s.n_encoder_layers = 2, s.n_decoder_layers = 2,
       s.d_feedforward = 256;
       s.max_len = 40;
       s.training.batch_size = 64, s.training.steps = 2500, s.training.validate_every = 500;
       s.training.lr = 3e-3, s.training.beta2 = 0.98, s.training.schedule = "linear",
       s.training.warmup = 200;
     }},
    // The published recipe on Multi30k; these are the defaults, by name.
    {"multi30k", [](TranslationSettings&) {}},
    // The best found for it within half an hour on two cores: docs/figures.md.
    {"multi30k-best",
     [](TranslationSettings& s) {
       s.dropout = 0.12;
       s.training.epochs = 12, s.training.label_smoothing = 0.1, s.training.average = 0.995;
       s.training.lr = 8e-4, s.training.beta2 = 0.98, s.training.schedule = "linear",
       s.training.warmup = 300;
     }},
};
}  // namespace

std::vector<std::string> translation_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : presets) names.emplace_back(preset.name);
  return names;
}

void apply_preset(TranslationSettings& s, const std::string& name) {
  for (const Preset& preset : presets)
    if (name == preset.name) return preset.apply(s);
  throw UsageError(
      fmt::format("--preset {}: expected one of {}", name, fmt::join(translation_presets(), ", ")));
}

c_scratch::CScratch make_model(const TranslationSettings& s, int64_t source_vocab,
                               int64_t target_vocab) {
  const c_scratch::Config config{.source_vocab = source_vocab,
                                 .target_vocab = target_vocab,
                                 .d_model = s.d_model,
                                 .n_heads = s.n_heads,
                                 .n_encoder_layers = s.n_encoder_layers,
                                 .n_decoder_layers = s.n_decoder_layers,
                                 .d_feedforward = s.d_feedforward,
                                 .dropout = s.dropout,
                                 .max_len = s.max_len,
                                 .tie_embeddings = s.tie_embeddings};
  if (s.init == "default") return c_scratch::CScratch(config);
  c_scratch::CScratch model = nn::init::undrawn(2, [&] { return c_scratch::CScratch(config); });
  for (const Tensor& weight : nn::parameters(model))
    if (weight.rank() >= 2) nn::init::xavier_uniform(weight);
  return model;
}

Translator load_translator(const std::string& checkpoint) {
  TranslationSettings s;
  const std::string config_file = checkpoint + "/config.json";
  read_config(settings_of(s), s.model, config_file);
  data::Vocab source = data::Vocab::load(checkpoint + "/source.vocab", data::Specials::sentence);
  data::Vocab target = data::Vocab::load(checkpoint + "/target.vocab", data::Specials::sentence);
  TensorFile file = load_finite(checkpoint + "/model.safetensors");
  const std::string model_file = checkpoint + "/model.safetensors";
  for (const char* name :
       {"embed_src.embed_tok.weight", "embed_tgt.embed_tok.weight", "embed_src.embed_pos.weight"})
    blame(model_file, [&] { (void)file.at(name); });
  check_vocabulary(file, "embed_src.embed_tok.weight", source.size(), checkpoint + "/source.vocab");
  check_vocabulary(file, "embed_tgt.embed_tok.weight", target.size(), checkpoint + "/target.vocab");
  check_size(file, "embed_src.embed_pos.weight", {s.max_len, s.d_model},
             checkpoint + "/config.json");
  c_scratch::CScratch model = blame(config_file, [&] {
    return nn::init::undrawn(0, [&] { return make_model(s, source.size(), target.size()); });
  });
  load_named(model, std::move(file), model_file);
  nn::eval(model);
  return {s, std::move(source), std::move(target), std::move(model)};
}

namespace {

uint64_t weights_seed(const TranslationSettings& s) {
  return static_cast<uint64_t>(s.training.seed);
}

data::Vocab vocabulary(const std::vector<std::string>& lines, int64_t min_freq) {
  return data::Vocab::from_counts(data::count_words(lines), data::Specials::sentence, min_freq);
}

std::string checksum(const data::ParallelText& text) {
  uint32_t crc = 0;
  for (const auto* side : {&text.source, &text.target})
    for (const std::string& line : *side) crc = crc32c(line + "\n", crc);
  return fmt::format("{:08x}", crc);
}

}  // namespace

TranslationTask::TranslationTask(const TranslationSettings& s, const data::ParallelText& training,
                                 const data::ParallelText& validation)
    : settings_(s),
      source_(vocabulary(training.source, s.min_freq)),
      target_(vocabulary(training.target, s.min_freq)),
      training_(data::encode_pairs(training, source_, target_, s.max_len)),
      validation_(data::encode_pairs(validation, source_, target_, s.max_len)),
      model_((manual_seed(weights_seed(s)), make_model(s, source_.size(), target_.size()))),
      fingerprint_(checksum(training) + checksum(validation)) {
  for (const auto& [name, tensor] : nn::named_parameters(model_))
    parameters_.push_back({name, tensor});
  const auto batches = static_cast<int64_t>(training_.pairs.size()) + s.training.batch_size - 1;
  epoch_length_ = batches / s.training.batch_size;
}

void TranslationTask::seek(int64_t position) {
  batches_ = std::make_unique<data::TrainingBatches>(
      training_.pairs,
      data::BatchOptions{.batch_size = settings_.training.batch_size,
                         .seed = static_cast<uint64_t>(settings_.training.seed)},
      position);
}

Work TranslationTask::next() {
  if (!batches_) seek(0);
  const auto batch = std::make_shared<data::Batch>(batches_->next());
  return {.targets = batch->target_tokens,
          .tokens = batch->source_tokens + batch->target_tokens,
          .sequences = batch->size,
          .loss = [this, batch](int64_t begin, int64_t end) {
            return model_.loss(rows(batch->source, begin, end, batch->source_length),
                               rows(batch->target, begin, end, batch->target_length),
                               settings_.training.label_smoothing);
          }};
}

Evaluation TranslationTask::evaluate() {
  return evaluate_pairs(model_, validation_.pairs, settings_.training.batch_size);
}

Evaluation evaluate_pairs(const c_scratch::CScratch& model, const std::vector<data::Pair>& pairs,
                          int64_t batch_size) {
  const NoGrad no_grad;
  Evaluation evaluation;
  for (const data::Rows& order : data::sorted_order(pairs, batch_size)) {
    const data::Batch batch = data::make_batch(pairs, order);
    evaluation.loss_sum += model
                               .loss(rows(batch.source, 0, batch.size, batch.source_length),
                                     rows(batch.target, 0, batch.size, batch.target_length))
                               .item();
    evaluation.targets += batch.target_tokens;
  }
  return evaluation;
}

void TranslationTask::save(const FolderSink& folder) const {
  save_model(folder, model_, {{"source.vocab", source_.text()}, {"target.vocab", target_.text()}});
  TranslationSettings s = settings_;
  write_file(folder.file("config.json"), to_json(settings_of(s), 1) + "\n");
}

void TranslationTask::load_weights(const std::string& folder) {
  load_named(model_, load_finite(folder + "/model.safetensors"), folder + "/model.safetensors");
}

std::string TranslationTask::summary() const {
  const auto skipped = [](const data::Pairs& data) {
    return data.skipped_empty + data.skipped_long
               ? fmt::format(" ({} empty and {} too long ones skipped)", data.skipped_empty,
                             data.skipped_long)
               : "";
  };
  return fmt::format(
      "{} training pairs{}, {} validation pairs{}; {} {} and {} {} words; {} parameters",
      training_.pairs.size(), skipped(training_), validation_.pairs.size(), skipped(validation_),
      source_.size(), settings_.source, target_.size(), settings_.target,
      nn::count_parameters(model_));
}

}  // namespace slope::train
