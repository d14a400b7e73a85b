// Trains a translation model on parallel text: its tokenizers, batches of similar length.
#pragma once

#include <slope/models/data/training_batches.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/train/tasks/model_task.h>

namespace slope::train {

class TranslationTask : public ModelTask {
 public:
  // Tokenizers from the training text, weights from settings.training.seed.
  TranslationTask(const RunSettings& settings, const data::ParallelText& training,
                  const data::ParallelText& validation);

  void seek(int64_t position) override;
  Work next() override;
  int64_t position() const override { return batches_ ? batches_->position() : 0; }
  int64_t epoch_length() const override;
  Evaluation evaluate() override;
  std::string fingerprint() const override { return fingerprint_; }
  std::string summary() const override;
  std::vector<JsonField> facts() const override;

  const data::Tokenizer& source() const { return *source_; }
  const data::Tokenizer& target() const { return *target_; }
  const models::TranslationModel& model() const { return *model_; }

 private:
  Tokenizers tokenizers() const override;
  data::Pair recut(int64_t row, int64_t epoch, double dropout) const;
  void check_recut() const;

  std::string fingerprint_;
  data::TokenizerPtr source_, target_;  // one object if the vocabulary is shared
  std::unique_ptr<models::TranslationModel> model_;
  data::Pairs training_, validation_;
  data::ParallelText text_;  // the training text, if each epoch splits it differently
  int64_t held_out_ = 0;     // validation pairs before --validation-size reduces them
  std::unique_ptr<data::TrainingBatches> batches_;
};

// Mean loss over encoded pairs, in batches of similar length.
Evaluation evaluate_pairs(const models::TranslationModel& model,
                          const std::vector<data::Pair>& pairs, int64_t batch_size);

}  // namespace slope::train
