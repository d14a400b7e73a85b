// Language model: the character GPT with its vocabulary: the settings of a run, how it is stored
// and read back, and its training task.
#pragma once

#include <slope/models/char_gpt.h>
#include <slope/models/data/vocab.h>
#include <slope/models/train/task.h>
#include <slope/models/train/train_settings.h>

#include <span>

namespace slope::train {

struct LanguageModelSettings {
  std::string model = "char-gpt";
  int64_t block_size = 64, n_layer = 4, n_head = 4, n_embd = 128;
  double dropout = 0;
  bool bias = false;
  std::string text;               // the file; empty: the English side of the bundled corpus
  double validation_share = 0.1;  // the end of the text
  TrainSettings training = {.epochs = 0,
                            .steps = 2000,
                            .batch_size = 12,
                            .optimizer = "adamw",
                            .lr = 1e-3,
                            .beta2 = 0.99,
                            .weight_decay = 0.1,
                            .schedule = "cosine",
                            .warmup = 100,
                            .lr_min = 1e-4,
                            .validate_every = 250};
};

Settings settings_of(LanguageModelSettings& s);

struct LanguageModel {
  LanguageModelSettings settings;
  data::Vocab vocab;
  char_gpt::CharGpt model;
};
char_gpt::CharGpt make_model(const LanguageModelSettings& s, int64_t vocab_size);
LanguageModel load_language_model(const std::string& checkpoint);  // in evaluation mode

class LanguageModelTask : public Task {
 public:
  // InputError where the text is shorter than a block on either side.
  LanguageModelTask(const LanguageModelSettings& s, const std::string& text);

  const std::vector<NamedLeaf>& parameters() const override { return parameters_; }
  void seek(int64_t position) override { position_ = position; }
  Work next() override;
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override { return 0; }
  Evaluation evaluate() override;
  void save(const FolderSink& folder) const override;
  void load_weights(const std::string& folder) override;
  std::string fingerprint() const override { return fingerprint_; }
  std::string summary() const;

 private:
  void switch_training(bool training) override { nn::train(model_, training); }
  std::span<const int64_t> training() const { return std::span(text_).first(cut_); }
  std::span<const int64_t> validation() const { return std::span(text_).subspan(cut_); }

  LanguageModelSettings settings_;
  data::Vocab vocab_;
  std::vector<int64_t> text_;  // training, from cut_ on validation
  size_t cut_ = 0;
  char_gpt::CharGpt model_;
  std::vector<NamedLeaf> parameters_;
  int64_t position_ = 0;
  std::string fingerprint_;
};

// Loss over a whole text in blocks that do not overlap.
Evaluation evaluate_text(const char_gpt::CharGpt& model, std::span<const int64_t> text,
                         int64_t batch_size);

}  // namespace slope::train
