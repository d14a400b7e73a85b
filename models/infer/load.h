// Trained models with their settings and tokenizers, read from a checkpoint, in evaluation mode. An
// InputError names file and fault: a config of another kind, weights that do not fit or are not
// finite, wrong vocabularies.
// Nothing here writes to a const model: any number of threads may translate, generate and evaluate
// with the same model, in any mode. nn::train, nn::eval, nn::to and nn::load do write: call them
// only while no other thread uses the model.
#pragma once

#include <slope/models/data/tokenizer.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/run/run_settings.h>

namespace slope::train {

struct Translator {
  RunSettings settings;
  data::TokenizerPtr source, target;
  std::unique_ptr<models::TranslationModel> model;
};
Tensor as_batch(const data::Ids& sentence);  // i64 (1, T)
// `weights`: f32, or bf16, which rounds the weights of linear layers (nn::round_weights).
Translator load_translator(const std::string& checkpoint, DType weights = f32);

struct TextModel {
  RunSettings settings;
  data::TokenizerPtr tokenizer;
  std::unique_ptr<models::LanguageModel> model;
};
TextModel load_language_model(const std::string& checkpoint, DType weights = f32);

struct Classifier {
  RunSettings settings;
  std::unique_ptr<models::PointsModel> model;
};
Classifier load_points_model(const std::string& checkpoint, DType weights = f32);

}  // namespace slope::train
