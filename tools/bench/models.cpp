// Training steps of the zoo's models on made-up batches, taken by the trainer's own function:
// forward, loss, backward, clipping, optimizer. The only place where a benchmark names a model.
#include <slope/models/data/two_moons.h>
#include <slope/models/data/vocab.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/registry.h>
#include <slope/tools/bench/tasks.h>
#include <slope/tools/bench/zoo_case.h>

namespace slope::tools {

namespace {

constexpr const char *encoder_decoder = "postnorm", *gpt = "char-gpt", *smallest = "microgpt",
                     *points = "mlp";
constexpr int64_t first_word = data::eos_id + 1;  // lower ids are <pad> and other special tokens
constexpr int n_batches = 4;

std::unique_ptr<Workload> translation_steps(const TranslationCase& c, int64_t B, int64_t S,
                                            int64_t T, int64_t source_vocab, int64_t target_vocab) {
  train::RunSettings settings = bench_settings(c.model, c.values);
  settings.training.batch_size = B;
  manual_seed(1);
  auto model = dynamic_cast<const models::TranslationType&>(settings.type())
                   .make(settings.config(), {source_vocab, target_vocab}, models::Weights::drawn);
  std::vector<FixedBatch> batches;
  for (int i = 0; i < n_batches; ++i)
    batches.push_back({.input = randint(first_word, source_vocab, {B, S}),
                       .target = randint(first_word, target_vocab, {B, T + 1}),
                       .targets = B * T,
                       .tokens = B * (S + T),
                       .flops = c.sizes.forward(B, S, T, target_vocab)});
  const auto* m = model.get();
  const FixedLoss loss = [m](const FixedBatch& b) { return m->loss(b.input, b.target, 0); };
  using Held = std::unique_ptr<models::TranslationModel>;
  return std::make_unique<Training<Held>>(std::move(model), m->module(), std::move(batches), loss,
                                          settings.training);
}

// Training steps of a language model on random batches (B, T).
std::unique_ptr<Workload> decoder_steps(const train::RunSettings& settings,
                                        const flops::Decoder& sizes, int64_t B, int64_t T,
                                        int64_t vocab, const train::TrainSettings& training) {
  manual_seed(1);
  auto model = dynamic_cast<const models::LanguageModelType&>(settings.type())
                   .make(settings.config(), vocab, models::Weights::drawn);
  std::vector<FixedBatch> batches;
  for (int i = 0; i < n_batches; ++i)
    batches.push_back({.input = randint(first_word, vocab, {B, T}),
                       .target = randint(first_word, vocab, {B, T}),
                       .targets = B * T,
                       .tokens = B * T,
                       .flops = sizes.forward(B, T, vocab)});
  const auto* m = model.get();
  const FixedLoss loss = [m](const FixedBatch& b) { return m->loss(b.input, b.target, 0); };
  using Held = std::unique_ptr<models::LanguageModel>;
  return std::make_unique<Training<Held>>(std::move(model), m->module(), std::move(batches), loss,
                                          training);
}

// microgpt on names as long as its context.
std::unique_ptr<Workload> microgpt_steps(int64_t names) {
  return decoder_steps(
      bench_settings(smallest, {}), {.C = 16, .layers = 1}, names, 16, 27,
      train::TrainSettings{
          .optimizer = "adam", .lr = 0.01, .beta1 = 0.85, .beta2 = 0.99, .clip = 0});
}

std::unique_ptr<Workload> moons_steps() {
  manual_seed(1);
  const models::ModelType& type = models::model_named(points);
  auto model =
      dynamic_cast<const models::PointsType&>(type).make(*type.config(), models::Weights::drawn);
  const data::TwoMoons moons = data::two_moons(32);
  const std::vector<FixedBatch> batches = {{.input = moons.points,
                                            .target = moons.labels,
                                            .targets = 32,
                                            .flops = flops::perceptron(32, 2, 16, 1)}};
  const auto* m = model.get();
  const FixedLoss loss = [m](const FixedBatch& b) { return m->loss(b.input, b.target); };
  using Held = std::unique_ptr<models::PointsModel>;
  return std::make_unique<Training<Held>>(
      std::move(model), m->module(), batches, loss,
      train::TrainSettings{.optimizer = "sgd", .lr = 0.5, .clip = 0});
}

}  // namespace

train::RunSettings bench_settings(const char* model, const Values& values) {
  train::RunSettings settings(models::model_named(model));
  for (const auto& [key, value] : values) settings.set(key, value);
  return settings;
}

TranslationCase translation_model() { return {encoder_decoder, {}, {}}; }

// nanoGPT's optimizer at a constant learning rate: a step's cost does not depend on the schedule.
std::unique_ptr<Workload> gpt_steps(const flops::Decoder& sizes, int64_t heads, bool bias,
                                    int64_t block_size, double lr, int64_t B, int64_t T,
                                    int64_t vocab) {
  train::RunSettings settings(models::model_named(gpt));
  settings.set("n_embd", std::to_string(sizes.C));
  settings.set("n_layer", std::to_string(sizes.layers));
  settings.set("n_head", std::to_string(heads));
  settings.set("block_size", std::to_string(block_size));
  settings.set("bias", bias ? "true" : "false");
  return decoder_steps(
      settings, sizes, B, T, vocab,
      train::TrainSettings{.optimizer = "adamw", .lr = lr, .beta2 = 0.99, .weight_decay = 0.1});
}

std::vector<BenchCase> training_cases() {
  return {
      {"translation",
       "encoder-decoder 256/8/3+3/512, 128 x (24 + 24) tokens, vocabularies 8000 and 6000, dropout "
       "0.1, Adam, clip 1",
       [] { return translation_steps(translation_model(), 128, 24, 24, 8000, 6000); }},
      {"transformer-base",
       "encoder-decoder 512/8/6+6/2048, 16 x (64 + 64) tokens, vocabularies 10000, dropout 0.1, "
       "Adam, clip 1",
       [] {
         const TranslationCase base{
             encoder_decoder,
             {{"d_model", "512"},
              {"n_encoder_layers", "6"},
              {"n_decoder_layers", "6"},
              {"d_feedforward", "2048"}},
             {.C = 512, .F = 2048, .encoder_layers = 6, .decoder_layers = 6}};
         return translation_steps(base, 16, 64, 64, 10000, 10000);
       }},
      {"char-gpt",
       "GPT, 4 layers, 4 heads, 128 channels, 12 x 64 tokens, vocabulary 65, AdamW, clip 1",
       [] { return gpt_steps({}, 4, false, 64, 1e-3, 12, 64, 65); }},
      {"gpt-384",
       "GPT, 6 layers, 6 heads, 384 channels, 8 x 256 tokens, vocabulary 65, AdamW, clip 1",
       [] { return gpt_steps({.C = 384, .layers = 6}, 6, false, 256, 1e-3, 8, 256, 65); }},
      {"gpt2-124m", "GPT in the shape of GPT-2 124M with biases, 4 x 64 tokens, AdamW, clip 1",
       [] { return gpt_steps({.C = 768, .layers = 12}, 12, true, 1024, 1e-4, 4, 64, 50257); }},
      {"microgpt", "microgpt, 1 layer, 4 heads, 16 channels, 1 x 16 characters of 27, Adam",
       [] { return microgpt_steps(1); }},
      {"microgpt-16", "the same, 16 x 16 characters", [] { return microgpt_steps(16); }},
      {"two-moons", "MLP 2-16-16-1, 32 points of two moons, SGD", moons_steps},
  };
}

}  // namespace slope::tools
