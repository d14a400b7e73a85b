// What every command may ask of any model, and of a model's type before the model exists. The kinds
// (translation.h, language_model.h, points.h) define how models are trained and used; each has one
// template that turns a module into a model type.
#pragma once

#include <slope/models/config.h>
#include <slope/nn/nn.h>

#include <memory>

namespace slope::models {

enum class Kind { translation, language_model, points };
inline constexpr Kind all_kinds[] = {Kind::translation, Kind::language_model, Kind::points};
const char* name(Kind kind);  // as `slope train` takes it: "translation", "lm", "points"

class Model {
 public:
  virtual ~Model() = default;
  virtual nn::ModuleRef module() const = 0;
};

class ModelConfig {
 public:
  virtual ~ModelConfig() = default;
  virtual Settings settings() = 0;
  virtual std::unique_ptr<ModelConfig> clone() const = 0;
};

// Whether a model's weights get initial values from generator() or stay uninitialised because they
// are loaded later (nan if no line lists them).
enum class Weights { drawn, unset };

class ModelType {
 public:
  virtual ~ModelType() = default;
  const std::string name, about;
  const Kind kind;
  virtual std::unique_ptr<ModelConfig> config() const = 0;  // the defaults
  // of a model so small that each element's gradient can be checked and the graph drawn
  virtual std::unique_ptr<ModelConfig> small() const = 0;

 protected:
  ModelType(std::string name, std::string about, Kind kind)
      : name(std::move(name)), about(std::move(about)), kind(kind) {}
};
using ModelTypePtr = std::shared_ptr<const ModelType>;

// ---- what the templates of the kinds share

template <class Config>
struct ConfigOf final : ModelConfig {
  Config config;
  explicit ConfigOf(Config c) : config(std::move(c)) {}
  Settings settings() override { return config.settings(); }
  std::unique_ptr<ModelConfig> clone() const override { return std::make_unique<ConfigOf>(config); }
};

template <class M>
using ConfigType = std::remove_cvref_t<decltype(std::declval<M&>().config)>;

// The model type that a module M becomes, of kind `Base`, which adds how a model is made.
template <class M, class Base>
class ModelTypeOf : public Base {
 public:
  using Config = ConfigType<M>;
  ModelTypeOf(std::string name, std::string about, Kind kind, Config small)
      : Base(std::move(name), std::move(about), kind), small_(std::move(small)) {}
  std::unique_ptr<ModelConfig> config() const override {
    return std::make_unique<ConfigOf<Config>>(Config{});
  }
  std::unique_ptr<ModelConfig> small() const override {
    return std::make_unique<ConfigOf<Config>>(small_);
  }

 protected:
  static Config config_of(const ModelConfig& config) {
    return dynamic_cast<const ConfigOf<Config>&>(config).config;
  }
  static M make_module(const Config& config, Weights weights) {
    if (weights == Weights::unset) return nn::init::make_unset<M>(config);
    if constexpr (requires(M m) { m.init_weights(); }) return nn::init::make<M>(config);
    return M(config);
  }

 private:
  Config small_;
};

}  // namespace slope::models
