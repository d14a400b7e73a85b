// Training steps of the zoo's models on made-up batches: forward, loss, backward, clipping,
// optimizer, through the trainer's step.
#include <slope/models/data/two_moons.h>
#include <slope/models/data/vocab.h>
#include <slope/models/kinds/translation.h>
#include <slope/tools/bench/flops.h>
#include <slope/tools/bench/tasks.h>
#include <slope/tools/bench/training.h>

namespace slope::tools {

namespace {

constexpr int64_t first_word = data::eos_id + 1;  // lower numbers are <pad> and its like
constexpr int n_batches = 4;

std::unique_ptr<Workload> c_scratch_steps(const train::TranslationSettings& s, int64_t S, int64_t T,
                                          int64_t source_vocab, int64_t target_vocab) {
  manual_seed(1);
  c_scratch::CScratch model = train::make_model(s, source_vocab, target_vocab);
  const int64_t B = s.training.batch_size;
  std::vector<FixedBatch> batches;
  for (int i = 0; i < n_batches; ++i)
    batches.push_back({.input = randint(first_word, source_vocab, {B, S}),
                       .target = randint(first_word, target_vocab, {B, T + 1}),
                       .targets = B * T,
                       .tokens = B * (S + T),
                       .flops = flops::forward(model.config, B, S, T)});
  const FixedLoss<c_scratch::CScratch> loss = [](const auto& m, const FixedBatch& b) {
    return m.loss(b.input, b.target);
  };
  return std::make_unique<Training<c_scratch::CScratch>>(std::move(model), std::move(batches), loss,
                                                         s.training);
}

std::unique_ptr<Workload> mlp_steps() {
  manual_seed(1);
  mlp::TwoMoonsMlp model({});
  const data::TwoMoons moons = data::two_moons(32);
  const std::vector<FixedBatch> batches = {{.input = moons.points,
                                            .target = moons.labels,
                                            .targets = 32,
                                            .flops = flops::forward(model.config, 32)}};
  const FixedLoss<mlp::TwoMoonsMlp> loss = [](const auto& m, const FixedBatch& b) {
    return bce_with_logits(m(b.input), b.target, Reduction::sum);
  };
  return std::make_unique<Training<mlp::TwoMoonsMlp>>(
      std::move(model), batches, loss,
      train::TrainSettings{.optimizer = "sgd", .lr = 0.5, .clip = 0});
}

// The recipe's optimizer at a constant rate: what a step costs does not depend on the schedule.
train::TrainSettings adamw(double lr) {
  return {.optimizer = "adamw", .lr = lr, .beta2 = 0.99, .weight_decay = 0.1};
}

}  // namespace

std::unique_ptr<Workload> char_gpt_steps(const train::LanguageModelSettings& s, int64_t B,
                                         int64_t T, int64_t vocab) {
  manual_seed(1);
  char_gpt::CharGpt model = train::make_model(s, vocab);
  std::vector<FixedBatch> batches;
  for (int i = 0; i < n_batches; ++i)
    batches.push_back({.input = randint(first_word, vocab, {B, T}),
                       .target = randint(first_word, vocab, {B, T}),
                       .targets = B * T,
                       .tokens = B * T,
                       .flops = flops::forward(model.config, B, T)});
  const FixedLoss<char_gpt::CharGpt> loss = [](const auto& m, const FixedBatch& b) {
    return m.loss(b.input, b.target);
  };
  return std::make_unique<Training<char_gpt::CharGpt>>(std::move(model), std::move(batches), loss,
                                                       s.training);
}

std::vector<BenchCase> training_cases() {
  return {
      {"a",
       "C-scratch 256/8/3+3/512, 128 x (24 + 24) tokens, vocabularies 8000 and 6000, dropout 0.1, "
       "Adam, clip 1",
       [] { return c_scratch_steps({}, 24, 24, 8000, 6000); }},
      {"b",
       "C-scratch 512/8/6+6/2048, 16 x (64 + 64) tokens, vocabularies 10000, dropout 0.1, Adam, "
       "clip 1",
       [] {
         return c_scratch_steps({.d_model = 512,
                                 .n_encoder_layers = 6,
                                 .n_decoder_layers = 6,
                                 .d_feedforward = 2048,
                                 .training = {.batch_size = 16}},
                                64, 64, 10000, 10000);
       }},
      {"c1",
       "char-GPT, 4 layers, 4 heads, 128 channels, 12 x 64 tokens, vocabulary 65, AdamW, clip 1",
       [] { return char_gpt_steps({.training = adamw(1e-3)}, 12, 64, 65); }},
      {"c2",
       "char-GPT, 6 layers, 6 heads, 384 channels, 8 x 256 tokens, vocabulary 65, AdamW, clip 1",
       [] {
         return char_gpt_steps(
             {.block_size = 256, .n_layer = 6, .n_head = 6, .n_embd = 384, .training = adamw(1e-3)},
             8, 256, 65);
       }},
      {"gpt2", "char-GPT in the shape of GPT-2 124M with biases, 4 x 64 tokens, AdamW, clip 1",
       [] {
         return char_gpt_steps({.block_size = 1024,
                                .n_layer = 12,
                                .n_head = 12,
                                .n_embd = 768,
                                .bias = true,
                                .training = adamw(1e-4)},
                               4, 64, 50257);
       }},
      {"d", "MLP 2-16-16-1, 32 points of two moons, SGD", mlp_steps},
  };
}

}  // namespace slope::tools
