// Every model of the zoo at its small size, for properties that hold for all: the models of a kind,
// with the given dropout and long enough for the tests' sentences.
#pragma once

#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/registry.h>

#include <functional>

namespace slope::test {

// The small config with the given values for those keys that it has.
inline std::unique_ptr<models::ModelConfig> small_config(
    const models::ModelType& type, const std::map<std::string, double>& values) {
  auto config = type.small();
  for (const models::Setting& s : config->settings())
    if (const auto given = values.find(s.key); given != values.end()) {
      if (auto* real = std::get_if<double*>(&s.place)) **real = given->second;
      if (auto* integer = std::get_if<int64_t*>(&s.place))
        **integer = static_cast<int64_t>(given->second);
      if (auto* flag = std::get_if<bool*>(&s.place)) **flag = given->second != 0;
    }
  return config;
}

// Vocabularies of 31 and 37 words, 20 positions, two layers.
inline void each_translator(
    double dropout, DType dtype,
    const std::function<void(const std::string& name, const models::TranslationModel&)>& f,
    const std::map<std::string, double>& more = {}) {
  std::map<std::string, double> values{{"dropout", dropout},
                                       {"max_len", 20},
                                       {"n_encoder_layers", 2},
                                       {"n_decoder_layers", 2},
                                       {"d_model", 16}};
  for (const auto& [key, value] : more) values[key] = value;
  for (const models::ModelTypePtr& type : models::zoo())
    if (const auto* t = dynamic_cast<const models::TranslationType*>(type.get())) {
      manual_seed(1);
      const auto model = t->make(*small_config(*t, values), {31, 37}, models::Weights::drawn);
      nn::to(model->module(), dtype);
      f(t->name, *model);
    }
}

// A vocabulary of 29 characters, blocks of 12.
inline void each_language_model(
    double dropout, DType dtype,
    const std::function<void(const std::string& name, const models::LanguageModel&)>& f) {
  for (const models::ModelTypePtr& type : models::zoo())
    if (const auto* t = dynamic_cast<const models::LanguageModelType*>(type.get())) {
      manual_seed(2);
      const auto model = t->make(*small_config(*t, {{"dropout", dropout}, {"block_size", 12}}), 29,
                                 models::Weights::drawn);
      nn::to(model->module(), dtype);
      f(t->name, *model);
    }
}

}  // namespace slope::test
