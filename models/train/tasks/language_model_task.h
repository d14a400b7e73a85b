// Trains a language model on one text: blocks drawn from its beginning, validation on its
// end.
#pragma once

#include <slope/models/data/blocks.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/train/tasks/model_task.h>
#include <slope/models/train/tasks/unknown.h>

#include <span>

namespace slope::train {

class LanguageModelTask : public ModelTask {
 public:
  // InputError if the training part is not longer than a block, or the validation part has fewer
  // than 2 tokens.
  LanguageModelTask(const RunSettings& settings, const std::string& text);

  void seek(int64_t position) override { position_ = position; }
  Work next() override;
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override { return 0; }
  int64_t pass_length() const override;
  Evaluation evaluate() override;
  std::string fingerprint() const override { return fingerprint_; }
  std::string summary() const override;
  std::vector<JsonField> facts() const override {
    return unknown_facts(unknown(training()), unknown(validation()));
  }

 private:
  Tokenizers tokenizers() const override { return {{"source", tokenizer_}}; }
  UnknownShare unknown(std::span<const int64_t> part) const;
  const std::string& kind() const { return settings_.data<TextSettings>().tokens.tokenizer; }
  std::span<const int64_t> training() const { return std::span(text_).first(cut_); }
  std::span<const int64_t> validation() const { return std::span(text_).subspan(cut_); }

  data::TokenizerPtr tokenizer_;
  std::unique_ptr<models::LanguageModel> model_;
  std::vector<int64_t> text_;
  size_t cut_ = 0;       // where validation begins
  size_t held_out_ = 0;  // length of the validation part before --validation-size cuts it
  int64_t position_ = 0;
  std::string fingerprint_;
};

// A new model, whose weights are drawn from settings.training.seed.
std::unique_ptr<models::LanguageModel> make_language_model(const RunSettings& settings,
                                                           int64_t vocab_size);
// The loss of rows begin … end - 1, summed over their targets.
Tensor loss_of_blocks(const models::LanguageModel& model, const data::Blocks& blocks, int64_t begin,
                      int64_t end, double label_smoothing);

// Mean loss over a text, in blocks that do not overlap.
Evaluation evaluate_text(const models::LanguageModel& model, std::span<const int64_t> text,
                         int64_t batch_size);

}  // namespace slope::train
