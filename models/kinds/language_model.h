// Language models: they read a text and predict what comes next.
//
// A module is a language model if it has
//   Config config                           with vocab_size and block_size (positions)
//   M(config), init_weights()               the latter if M has its own initial values
//   forward(tokens)                         (B, T) i64 -> (B, T, V) logits of the next tokens
//   loss(inputs, targets, label_smoothing)  optional: summed over the targets; otherwise the cross
//                                           entropy of forward()
//   start(), step(tokens, cache)            optional: cached generation; otherwise each step
//                                           computes the whole text
#pragma once

#include <slope/models/kinds/model.h>

namespace slope::models {

class Continuation {  // of one text
 public:
  virtual ~Continuation() = default;
  virtual Tensor step(
      const Tensor& newest) = 0;  // (1, T) the newest tokens -> (1, V) logits of the next
};

class LanguageModel : public Model {
 public:
  // inputs, targets (B, T), i64; targets[b, t] follows inputs[b, t]. The loss is summed over
  // targets other than -100, cross_entropy's ignore_index.
  virtual Tensor loss(const Tensor& inputs, const Tensor& targets,
                      double label_smoothing) const = 0;
  virtual Tensor logits(const Tensor& tokens) const = 0;  // (B, T) -> (B, T, V)
  virtual std::unique_ptr<Continuation> start() const = 0;
  virtual int64_t block_size() const = 0;  // tokens that the model sees at once
};

class LanguageModelType : public ModelType {
 public:
  virtual std::unique_ptr<LanguageModel> make(const ModelConfig& config, int64_t vocab_size,
                                              Weights weights) const = 0;
  virtual int64_t block_size(const ModelConfig& config) const = 0;

 protected:
  using ModelType::ModelType;
};

template <class M>
class LanguageModelOf final : public LanguageModel {
 public:
  explicit LanguageModelOf(M m) : module_(std::move(m)) {}
  nn::ModuleRef module() const override { return module_; }
  Tensor loss(const Tensor& inputs, const Tensor& targets, double smoothing) const override {
    if constexpr (requires { module_.loss(inputs, targets, smoothing); }) {
      const nn::Scope scope(module_);
      return module_.loss(inputs, targets, smoothing);
    } else {
      const Tensor logits = module_(inputs);  // (B, T, V)
      return cross_entropy(logits.reshape({-1, logits.size(2)}), targets.reshape({-1}),
                           {.label_smoothing = smoothing, .reduction = Reduction::sum});
    }
  }
  Tensor logits(const Tensor& tokens) const override { return module_(tokens); }
  std::unique_ptr<Continuation> start() const override {
    if constexpr (requires { module_.start(); })
      return std::make_unique<Cached<M>>(module_);
    else
      return std::make_unique<Uncached>(module_);
  }
  int64_t block_size() const override { return module_.config.block_size; }

 private:
  template <class Module>  // a template, so that it need not compile for modules without a cache
  struct Cached : Continuation {
    const Module& module;
    decltype(std::declval<const Module&>().start()) cache = module.start();
    explicit Cached(const Module& m) : module(m) {}
    Tensor step(const Tensor& newest) override { return module.step(newest, cache); }
  };
  struct Uncached : Continuation {
    const M& module;
    Tensor text;  // (1, T)
    explicit Uncached(const M& m) : module(m) {}
    Tensor step(const Tensor& newest) override {
      text = text.defined() ? cat({text, newest}, 1) : newest;
      return module(text).select(1, -1);
    }
  };

  M module_;
};

template <class M>
class LanguageModelTypeOf final : public ModelTypeOf<M, LanguageModelType> {
 public:
  using Base = ModelTypeOf<M, LanguageModelType>;
  using Base::Base;
  std::unique_ptr<LanguageModel> make(const ModelConfig& config, int64_t vocab_size,
                                      Weights weights) const override {
    auto c = Base::config_of(config);
    c.vocab_size = vocab_size;
    return std::make_unique<LanguageModelOf<M>>(Base::make_module(c, weights));
  }
  int64_t block_size(const ModelConfig& config) const override {
    return Base::config_of(config).block_size;
  }
};

template <class M>
ModelTypePtr language_model(std::string name, std::string about, ConfigType<M> small = {}) {
  return std::make_shared<LanguageModelTypeOf<M>>(std::move(name), std::move(about),
                                                  Kind::language_model, std::move(small));
}

}  // namespace slope::models
