// Translation: models that read a sentence and write another one.
//
// A module is a translation model if it has
//   Config config                          with source_vocab, target_vocab, max_len (positions);
//                                          bool shared_vocab, optional: one table embeds both sides
//   M(config), init_weights()              the latter if M has its own initial values
//   loss(source, target, label_smoothing)  summed over the target's tokens except the first
//   features(source, target)               (B, S), (B, T) -> (B, T, C)
//   head(features)                         (B, T, C) -> (B, T, V)
//   start(source), step(newest, cache)     optional: cached decoding, with Cache::select(rows)
//   attention_paths()                      optional: nn::AttentionPaths, for figures
#pragma once

#include <slope/models/kinds/decoding.h>
#include <slope/models/kinds/model.h>
#include <slope/nn/transformer/attention_paths.h>

namespace slope::models {

class TranslationModel : public Model {
 public:
  // source (B, S), target (B, T + 1): i64, padded; target begins with <sos>. Summed over the tokens
  // that are not padding.
  virtual Tensor loss(const Tensor& source, const Tensor& target, double label_smoothing) const = 0;
  virtual Tensor features(const Tensor& source, const Tensor& target) const = 0;
  // (B, S), (B, T) -> (B, T, V)
  virtual Tensor logits(const Tensor& source, const Tensor& target) const = 0;
  virtual StartDecoding decoding(bool cached) const = 0;
  // tokens of the longest sentence, <sos> and <eos> included
  virtual int64_t positions() const = 0;
  virtual nn::AttentionPaths attention_paths() const = 0;  // empty if the model gives none
};

struct VocabSizes {
  int64_t source = 0, target = 0;
  bool shared = false;  // one vocabulary for both sides
};

class TranslationType : public ModelType {
 public:
  virtual std::unique_ptr<TranslationModel> make(const ModelConfig& config, const VocabSizes& sizes,
                                                 Weights weights) const = 0;

 protected:
  using ModelType::ModelType;
};

template <class M>
class TranslationModelOf final : public TranslationModel {
 public:
  explicit TranslationModelOf(M m) : module_(std::move(m)) {}
  nn::ModuleRef module() const override { return module_; }
  Tensor loss(const Tensor& source, const Tensor& target, double smoothing) const override {
    const nn::Scope scope(module_);
    return module_.loss(source, target, smoothing);
  }
  Tensor features(const Tensor& source, const Tensor& target) const override {
    const nn::Scope scope(module_);
    return module_.features(source, target);
  }
  Tensor logits(const Tensor& source, const Tensor& target) const override {
    const nn::Scope scope(module_);
    return module_.head(module_.features(source, target));
  }
  StartDecoding decoding(bool cached) const override {
    if constexpr (requires { typename M::Cache; })
      if (cached) return cached_decoding(module_);
    return uncached_decoding(module_);
  }
  int64_t positions() const override { return module_.config.max_len; }
  nn::AttentionPaths attention_paths() const override {
    if constexpr (requires { module_.attention_paths(); }) return module_.attention_paths();
    return {};
  }

 private:
  M module_;
};

template <class M>
class TranslationTypeOf final : public ModelTypeOf<M, TranslationType> {
 public:
  using Base = ModelTypeOf<M, TranslationType>;
  using Base::Base;
  std::unique_ptr<TranslationModel> make(const ModelConfig& config, const VocabSizes& sizes,
                                         Weights weights) const override {
    auto c = Base::config_of(config);
    c.source_vocab = sizes.source;
    c.target_vocab = sizes.target;
    if constexpr (requires { c.shared_vocab = true; }) c.shared_vocab = sizes.shared;
    return std::make_unique<TranslationModelOf<M>>(Base::make_module(c, weights));
  }
};

// Makes a registry entry. `small`: a config for checking every gradient.
template <class M>
ModelTypePtr translation(std::string name, std::string about, ConfigType<M> small = {}) {
  return std::make_shared<TranslationTypeOf<M>>(std::move(name), std::move(about),
                                                Kind::translation, std::move(small));
}

}  // namespace slope::models
