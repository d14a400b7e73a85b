// All settings of a run: its model with the model's settings, its data, its training. config.json
// holds them, the flags of `slope train` set them.
#pragma once

#include <slope/models/kinds/model.h>
#include <slope/models/run/tokenizer_settings.h>
#include <slope/models/run/train_settings.h>

namespace slope::train {

// in tokens: enough for three digits of the loss, and a validation takes only seconds
constexpr int64_t default_validation_size = 200'000;

struct ParallelTextSettings {  // of translation
  std::string train, valid;    // PREFIX of the text, without .de or .en; empty: the bundled corpus
  std::string source = "de", target = "en";
  bool shared_vocabulary = false;
  double subword_dropout = 0;
  TokenizerSettings tokens;
  int64_t validation_size = default_validation_size;
  SLOPE_CONFIG(key(train,
                   "prefix of the training text: PREFIX.de and PREFIX.en, plain or .gz; empty: the "
                   "bundled corpus")
                   .changeable(),
               key(valid, "prefix of the validation text").changeable(),
               key(source, "source language: suffix of the files"),
               key(target, "target language: suffix of the files"),
               key(shared_vocabulary, "one vocabulary and one embedding table for both languages"),
               key(subword_dropout,
                   "BPE dropout: probability that a merge is skipped, so that each epoch splits "
                   "words differently",
                   0, 0.9)
                   .only_with("tokenizer", {"subwords"}),
               key(validation_size,
                   "largest number of target tokens to validate on, in pairs spread evenly over "
                   "the text; 0: all",
                   0, 1e12))
  static TrainSettings training() { return {}; }
};

struct TextSettings {  // of a language model
  std::string text;    // the file; empty: the English side of the bundled corpus
  std::string documents = "whole";
  TokenizerSettings tokens = {.tokenizer = "characters", .words_before = false};
  double validation_share = 0.1;  // the end of the text, or documents at random
  int64_t validation_size = default_validation_size;
  SLOPE_CONFIG(
      key(text, "the text, plain or .gz; empty: the English side of the bundled corpus")
          .changeable(),
      key(documents,
          "what the model reads: the text as a whole, or each line by itself, between two "
          "newlines",
          {"whole", "lines"}),
      key(validation_share, "share held out for validation: the end of the text, or random lines",
          0.0001, 0.9),
      key(validation_size,
          "largest number of tokens to validate on, the first ones of the held-out part; 0: all", 0,
          1e12))
  static TrainSettings training() {
    return {.epochs = 0,
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
  }
};

struct MoonsSettings {  // of points
  int64_t points = 256, validation_points = 256;
  double noise = 0.1;  // standard deviation
  SLOPE_CONFIG(key(points, "training points of the two moons, drawn from the seed", 2, 1e7),
               key(validation_points, "further points for validation", 2, 1e7),
               key(noise, "standard deviation of the noise on each coordinate", 0, 10))
  static TrainSettings training() {
    return {.epochs = 0, .steps = 1000, .batch_size = 32, .lr = 1e-2, .validate_every = 100};
  }
};

class RunSettings {
 public:
  explicit RunSettings(const models::ModelType& type);  // the defaults; `type` must live longer
  RunSettings(const RunSettings& other);
  RunSettings& operator=(const RunSettings&) = delete;

  const models::ModelType& type() const { return *type_; }
  const models::ModelConfig& config() const { return *config_; }
  template <class Data>
  Data& data() {
    return std::get<Data>(data_);
  }
  template <class Data>
  const Data& data() const {
    return std::get<Data>(data_);
  }
  data::TokenizerOptions tokenizer() const;  // of translation and language models
  models::Settings all();                    // which refer to this object; "model" first
  // Those that decide what the weights mean: of the model, the tokenizer (except its file's name)
  // and the languages.
  models::Settings of_weights();
  std::string to_json() const;          // config.json's text
  std::string of_weights_json() const;  // on one line
  // UsageError for an unknown key or a bad value
  void set(const std::string& key, const std::string& text);
  // UsageError if the preset is for another kind of model, or has a key that this model lacks
  void apply(const std::string& preset);

  // Takes what the weights of another run need: the settings of its model and its tokenizer.
  // UsageError that names `folder`, where that run is, if it has another model.
  void take_model(const RunSettings& run, const std::string& folder);

  TrainSettings training;
  // Not a setting: a checkpoint whose tokenizers are used; empty: they are made from the text.
  std::string tokenizers_from;
  // Not settings: of the run that is resumed, its folder and the fingerprint of its data.
  struct Resumed {
    std::string folder, fingerprint;
  };
  Resumed resumed;

 private:
  TokenizerSettings* tokenizer_settings();  // null if the data are not text

  const models::ModelType* type_;
  std::string model_;
  std::unique_ptr<models::ModelConfig> config_;
  std::variant<ParallelTextSettings, TextSettings, MoonsSettings> data_;
};

// A checkpoint's config.json. InputError if the file is not one, if its model is unknown here, or
// if the weights beside it were saved with other settings: another run's config.json may well fit
// their shapes.
RunSettings read_config(const std::string& file);
// The same, with an InputError if the model is not of this kind; its message has `what_for`, such
// as "to translate".
RunSettings read_config(const std::string& file, models::Kind kind, const char* what_for);

// Whether runs that differ in this setting learn their tokens from, or validate on, other data, so
// that their losses do not compare.
bool decides_data(const RunSettings& settings, const std::string& key);

}  // namespace slope::train
