// Trains a language model on documents, one per line of a text: each once per epoch, in random
// order. A random share is held out for validation.
#pragma once

#include <slope/models/data/documents.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/train/tasks/model_task.h>
#include <slope/models/train/tasks/unknown.h>

namespace slope::train {

class DocumentTask : public ModelTask {
 public:
  // InputError if no document is left for training or validation; UsageError if a vocabulary that
  // was not made from the text has no line break.
  DocumentTask(const RunSettings& settings, const std::string& text);

  void seek(int64_t position) override { position_ = position; }
  Work next() override;
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override;
  Evaluation evaluate() override;
  std::string fingerprint() const override { return fingerprint_; }
  std::string summary() const override;
  std::vector<JsonField> facts() const override {
    return unknown_facts(unknown(training_), unknown(validation_));
  }

 private:
  Tokenizers tokenizers() const override { return {{"source", tokenizer_}}; }
  UnknownShare unknown(const data::Documents& documents) const;

  std::string fingerprint_;
  data::TokenizerPtr tokenizer_;
  std::unique_ptr<models::LanguageModel> model_;
  data::Documents training_, validation_;
  size_t held_out_ = 0;  // validation documents before --validation-size reduces them
  int64_t position_ = 0, order_epoch_ = -1;
  std::vector<int64_t> order_;  // of the training documents, in epoch order_epoch_
};

// The loss over all targets of the documents, each cut off after the model's block_size.
Evaluation evaluate_documents(const models::LanguageModel& model, const data::Documents& documents);

}  // namespace slope::train
