// Translation: C-scratch with its vocabularies: the settings of a run, how it is made, stored and
// read back, and its training task.
#pragma once

#include <slope/models/c_scratch.h>
#include <slope/models/data/training_batches.h>
#include <slope/models/train/task.h>
#include <slope/models/train/train_settings.h>

namespace slope::train {

struct TranslationSettings {
  std::string model = "c-scratch";
  int64_t d_model = 256, n_heads = 8, n_encoder_layers = 3, n_decoder_layers = 3,
          d_feedforward = 512;
  double dropout = 0.1;
  int64_t max_len = 100;
  bool tie_embeddings = false;
  std::string init = "xavier_uniform";  // of every weight of two or more dims
  std::string train, valid;  // PREFIX of the text, without .de or .en; empty: the bundled corpus
  std::string source = "de", target = "en";
  int64_t min_freq = 2;  // words seen less often become <unk>
  TrainSettings training;
};

Settings settings_of(TranslationSettings& s);
std::vector<std::string> translation_presets();
// UsageError naming those that exist
void apply_preset(TranslationSettings& s, const std::string& name);

// A model that can translate: what translate and eval read from a run.
struct Translator {
  TranslationSettings settings;
  data::Vocab source, target;
  c_scratch::CScratch model;
};
c_scratch::CScratch make_model(const TranslationSettings& s, int64_t source_vocab,
                               int64_t target_vocab);  // draws initial weights from generator()
// in evaluation mode; InputError names file and fault, also weights that are not finite
Translator load_translator(const std::string& checkpoint);

class TranslationTask : public Task {
 public:
  // Vocabularies from the training text, weights from settings.training.seed.
  TranslationTask(const TranslationSettings& s, const data::ParallelText& training,
                  const data::ParallelText& validation);

  const std::vector<NamedLeaf>& parameters() const override { return parameters_; }
  void seek(int64_t position) override;
  Work next() override;
  int64_t position() const override { return batches_ ? batches_->position() : 0; }
  int64_t epoch_length() const override { return epoch_length_; }
  Evaluation evaluate() override;
  void save(const FolderSink& folder) const override;
  void load_weights(const std::string& folder) override;
  std::string fingerprint() const override { return fingerprint_; }

  const data::Vocab& source_vocab() const { return source_; }
  const data::Vocab& target_vocab() const { return target_; }
  std::string summary() const;  // a line: pairs, skipped ones, words, parameters

 private:
  void switch_training(bool training) override { nn::train(model_, training); }
  TranslationSettings settings_;
  data::Vocab source_, target_;
  data::Pairs training_, validation_;
  c_scratch::CScratch model_;
  std::vector<NamedLeaf> parameters_;
  std::unique_ptr<data::TrainingBatches> batches_;
  int64_t epoch_length_ = 0;
  std::string fingerprint_;
};

// Mean loss of the model over encoded pairs, in batches of like length.
Evaluation evaluate_pairs(const c_scratch::CScratch& model, const std::vector<data::Pair>& pairs,
                          int64_t batch_size);

}  // namespace slope::train
