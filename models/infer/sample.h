// An instance of any model, small and in f64 unless said otherwise, with data of its own: for
// checking every gradient, and for drawing.
#pragma once

#include <slope/models/kinds/model.h>

#include <functional>
#include <memory>

namespace slope::train {

struct Sample {
  std::unique_ptr<models::Model> model;  // in evaluation mode
  std::function<Tensor()> loss;          // the same at each call
  NamedTensors parameters() const { return nn::named_parameters(model->module()); }
};
// small: the type's small config; full: its default config, with the vocabularies of
// count_default_parameters()
enum class SampleSize { small, full };
Sample sample_of(const models::ModelType& type, SampleSize size = SampleSize::small);
// The model of a run with its weights, in f32 and on made-up data.
Sample sample_of_run(const std::string& checkpoint);
// `name`: a model's name or a run's folder; if neither, a UsageError lists the models.
Sample sample_named(const std::string& name, SampleSize size = SampleSize::small);

// Of a model with the type's defaults; the vocabularies of a translation model have 7853 and 5893
// words (Multi30k), that of a language model 65 characters (tiny Shakespeare).
int64_t count_default_parameters(const models::ModelType& type);
// The summary of such a model on one example of greatest length: two sentences, a text, a point.
nn::Summary default_summary(const models::ModelType& type);

}  // namespace slope::train
