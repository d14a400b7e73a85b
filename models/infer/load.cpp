#include <slope/core/error.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/infer/load.h>
#include <slope/models/run/checkpoint_files.h>
#include <slope/nn/layers/round_weights.h>

namespace slope::train {

using models::Kind, models::Weights;

namespace {

// Makes the model with `make`, allocating no more elements than the weights can fill, and loads the
// weights.
template <class Make>
auto with_weights(const std::string& checkpoint, TensorFile&& weights, DType dtype, Make make) {
  const std::string config = checkpoint + "/config.json", file = checkpoint + "/model.safetensors";
  auto model = blame(config, [&] { return within_size_of(weights, make); });
  try {
    load_named(model->module(), std::move(weights), file);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}; the model is the one that {} describes", e.what(), config));
  }
  nn::eval(model->module());
  if (dtype == bf16) nn::round_weights(model->module());
  return model;
}

}  // namespace

Tensor as_batch(const data::Ids& sentence) {
  return from_vector(sentence, {1, static_cast<int64_t>(sentence.size())});
}

Translator load_translator(const std::string& checkpoint, DType dtype) {
  const RunSettings settings =
      read_config(checkpoint + "/config.json", Kind::translation, "to translate");
  const bool shared = settings.data<ParallelTextSettings>().shared_vocabulary;
  const std::string source_stem = checkpoint + (shared ? "/shared" : "/source"),
                    target_stem = checkpoint + (shared ? "/shared" : "/target");
  const data::TokenizerPtr source = data::read_tokenizer(settings.tokenizer(), source_stem),
                           target = shared
                                        ? source
                                        : data::read_tokenizer(settings.tokenizer(), target_stem);
  TensorFile weights = load_finite(checkpoint + "/model.safetensors");
  check_tokenizer(weights.metadata, *source, source_stem);
  check_tokenizer(weights.metadata, *target, target_stem);
  const auto& type = dynamic_cast<const models::TranslationType&>(settings.type());
  auto model = with_weights(checkpoint, std::move(weights), dtype, [&] {
    return type.make(settings.config(), {source->size(), target->size(), shared}, Weights::unset);
  });
  return {settings, source, target, std::move(model)};
}

TextModel load_language_model(const std::string& checkpoint, DType dtype) {
  const RunSettings settings =
      read_config(checkpoint + "/config.json", Kind::language_model, "to write text");
  const std::string stem = checkpoint + "/source";
  const data::TokenizerPtr tokenizer = data::read_tokenizer(settings.tokenizer(), stem);
  TensorFile weights = load_finite(checkpoint + "/model.safetensors");
  check_tokenizer(weights.metadata, *tokenizer, stem);
  const auto& type = dynamic_cast<const models::LanguageModelType&>(settings.type());
  auto model = with_weights(checkpoint, std::move(weights), dtype, [&] {
    return type.make(settings.config(), tokenizer->size(), Weights::unset);
  });
  return {settings, tokenizer, std::move(model)};
}

Classifier load_points_model(const std::string& checkpoint, DType dtype) {
  const RunSettings settings =
      read_config(checkpoint + "/config.json", Kind::points, "to classify points");
  const auto& type = dynamic_cast<const models::PointsType&>(settings.type());
  auto model = with_weights(checkpoint, load_finite(checkpoint + "/model.safetensors"), dtype,
                            [&] { return type.make(settings.config(), Weights::unset); });
  return {settings, std::move(model)};
}

}  // namespace slope::train
