// A model of any kind as the detectors see it: a loss over some examples, outputs as a function of
// one input, and a use of the model that should leave it as it was.
#pragma once

#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/nn/lint/lint.h>

#include <optional>

namespace slope::train {

struct LintInput {
  const char* name;  // "source"
  Tensor x;
  nn::lint::SequenceFunction f;
  bool has_positions, causal;  // positions along dim 1; output t depends only on inputs up to t
  std::optional<int64_t> pad = {};
};

struct Subject {
  std::unique_ptr<models::Model> model;  // f64
  int64_t rows;
  std::function<Tensor(int64_t first, int64_t rows)> loss;  // summed, as in training
  std::vector<LintInput> inputs;
  std::function<void()> use;
  int64_t longest = 0;  // positions that the model has
};

// `columns` tokens in each sequence, ids below the vocabularies' sizes.
Subject subject_of(std::unique_ptr<models::TranslationModel> model, const models::VocabSizes& sizes,
                   int64_t columns);
Subject subject_of(std::unique_ptr<models::LanguageModel> model, int64_t vocabulary,
                   int64_t columns);
Subject subject_of(std::unique_ptr<models::PointsModel> model);

// A model with new weights from manual_seed(1). Kinds without a vocabulary ignore `sizes`. Without
// `columns`: as many as the model has positions, at most five.
Subject subject_of(const models::ModelType& type, const models::ModelConfig& config,
                   const models::VocabSizes& sizes = {11, 12}, std::optional<int64_t> columns = {});
// Tokens of the longest sequence; 0 for points.
int64_t longest_input(const models::ModelType& type, const models::ModelConfig& config);

}  // namespace slope::train
