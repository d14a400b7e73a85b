#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/data/blocks.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/run/checkpoint_files.h>
#include <slope/models/train/rows.h>

namespace slope::train {

Settings settings_of(LanguageModelSettings& s) {
  constexpr double any = 1e300;
  Settings all = {
      {"model", &s.model, "the model", -any, any, {"char-gpt"}},
      {"block_size", &s.block_size, "characters that the model sees at once", 1, 1 << 20},
      {"n_layer", &s.n_layer, "blocks", 1, 1000},
      {"n_head", &s.n_head, "attention heads; divides n_embd", 1, 1 << 12},
      {"n_embd", &s.n_embd, "channels", 1, 1 << 16},
      {"dropout", &s.dropout, "probability that a value is dropped in training", 0, 0.999},
      {"bias", &s.bias, "biases in linear layers and norms"},
      {"text",
       &s.text,
       "the text, plain or .gz; empty: the English side of the bundled corpus",
       -any,
       any,
       {},
       true},
      {"validation_share", &s.validation_share,
       "share of the text, its end, that is kept for validation", 0.0001, 0.9},
  };
  for (Setting& setting : settings_of(s.training)) all.push_back(std::move(setting));
  return all;
}

char_gpt::CharGpt make_model(const LanguageModelSettings& s, int64_t vocab_size) {
  return char_gpt::CharGpt({.vocab_size = vocab_size,
                            .block_size = s.block_size,
                            .n_layer = s.n_layer,
                            .n_head = s.n_head,
                            .n_embd = s.n_embd,
                            .dropout = s.dropout,
                            .bias = s.bias});
}

LanguageModel load_language_model(const std::string& checkpoint) {
  LanguageModelSettings s;
  const std::string config_file = checkpoint + "/config.json";
  read_config(settings_of(s), s.model, config_file);
  data::Vocab vocab = data::Vocab::load(checkpoint + "/source.vocab", data::Specials::none);
  TensorFile file = load_finite(checkpoint + "/model.safetensors");
  // of the two names of the tied weight, the file keeps one
  const bool head_kept = !file.metadata.contains("lm_head.weight");
  const std::string model_file = checkpoint + "/model.safetensors",
                    table = head_kept ? "lm_head.weight" : "transformer.wte.weight";
  for (const std::string& name : {table, std::string("transformer.wpe.weight")})
    blame(model_file, [&] { (void)file.at(name); });
  check_vocabulary(file, table, vocab.size(), checkpoint + "/source.vocab");
  check_size(file, "transformer.wpe.weight", {s.block_size, s.n_embd}, checkpoint + "/config.json");
  char_gpt::CharGpt model = blame(config_file, [&] {
    return nn::init::undrawn(0, [&] { return make_model(s, vocab.size()); });
  });
  load_named(model, std::move(file), model_file);
  nn::eval(model);
  return {s, std::move(vocab), std::move(model)};
}

LanguageModelTask::LanguageModelTask(const LanguageModelSettings& s, const std::string& text)
    : settings_(s),
      vocab_(data::Vocab::from_counts(data::count_characters(text), data::Specials::none)),
      model_((manual_seed(static_cast<uint64_t>(s.training.seed)),
              make_model(s, std::max<int64_t>(1, vocab_.size())))),
      fingerprint_(fmt::format("{:08x}", crc32c(text))) {
  text_ = vocab_.encode_characters(text);
  cut_ = static_cast<size_t>(static_cast<double>(text_.size()) * (1 - s.validation_share));
  SLOPE_CHECK_INPUT(
      static_cast<int64_t>(training().size()) > s.block_size,
      "the training part of the text has {} characters, it needs more than block_size {}",
      training().size(), s.block_size);
  SLOPE_CHECK_INPUT(validation().size() >= 2,
                    "the validation part of the text has {} characters, it needs at least 2",
                    validation().size());
  for (const auto& [name, tensor] : nn::named_parameters(model_))
    parameters_.push_back({name, tensor});
}

Work LanguageModelTask::next() {
  const auto blocks = std::make_shared<data::Blocks>(
      data::random_blocks(training(), settings_.training.batch_size, settings_.block_size,
                          static_cast<uint64_t>(settings_.training.seed), position_++));
  const int64_t targets = blocks->rows * blocks->length;
  return {.targets = targets,
          .tokens = targets,
          .sequences = blocks->rows,
          .loss = [this, blocks](int64_t begin, int64_t end) {
            return model_.loss(rows(blocks->inputs, begin, end, blocks->length),
                               rows(blocks->targets, begin, end, blocks->length),
                               settings_.training.label_smoothing);
          }};
}

Evaluation LanguageModelTask::evaluate() {
  return evaluate_text(model_, validation(), settings_.training.batch_size);
}

Evaluation evaluate_text(const char_gpt::CharGpt& model, std::span<const int64_t> text,
                         int64_t batch_size) {
  const NoGrad no_grad;
  Evaluation evaluation;
  for (const data::Blocks& blocks :
       data::evaluation_blocks(text, batch_size, model.config.block_size)) {
    evaluation.loss_sum += model
                               .loss(rows(blocks.inputs, 0, blocks.rows, blocks.length),
                                     rows(blocks.targets, 0, blocks.rows, blocks.length))
                               .item();
    evaluation.targets += blocks.rows * blocks.length;
  }
  return evaluation;
}

void LanguageModelTask::save(const FolderSink& folder) const {
  save_model(folder, model_, {{"source.vocab", vocab_.text()}});
  LanguageModelSettings s = settings_;
  write_file(folder.file("config.json"), to_json(settings_of(s), 1) + "\n");
}

void LanguageModelTask::load_weights(const std::string& folder) {
  load_named(model_, load_finite(folder + "/model.safetensors"), folder + "/model.safetensors");
}

std::string LanguageModelTask::summary() const {
  return fmt::format("{} training and {} validation characters, {} different ones; {} parameters",
                     training().size(), validation().size(), vocab_.size(),
                     nn::count_parameters(model_));
}

}  // namespace slope::train
