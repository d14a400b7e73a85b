#include <slope/core/files/system_call.h>
#include <slope/models/data/two_moons.h>
#include <slope/models/infer/load.h>
#include <slope/models/infer/sample.h>
#include <slope/models/kinds/language_model.h>
#include <slope/models/kinds/points.h>
#include <slope/models/kinds/translation.h>
#include <slope/models/registry.h>
#include <slope/models/run/run_folder.h>

#include <algorithm>

namespace slope::train {

using namespace models;

namespace {

constexpr VocabSizes multi30k{7853, 5893}, tiny{9, 8};
constexpr int64_t shakespeare_characters = 65;

std::unique_ptr<ModelConfig> config_of(const ModelType& type, SampleSize size) {
  return size == SampleSize::full ? type.config() : type.small();
}

Sample translation_sample(const TranslationType& type, SampleSize size) {
  auto model =
      type.make(*config_of(type, size), size == SampleSize::full ? multi30k : tiny, Weights::drawn);
  nn::to(model->module(), f64);
  const Tensor source = tensor({{2, 5, 6, 3}, {2, 7, 3, 0}});
  const Tensor target = tensor({{2, 4, 5, 7, 3}, {2, 6, 3, 0, 0}});
  const auto* m = model.get();
  return {std::move(model), [m, source, target] { return m->loss(source, target, 0); }};
}

Sample language_model_sample(const LanguageModelType& type, SampleSize size) {
  const int64_t characters = size == SampleSize::full ? shakespeare_characters : 7;
  auto model = type.make(*config_of(type, size), characters, Weights::drawn);
  nn::to(model->module(), f64);
  const int64_t T = std::min<int64_t>(5, model->block_size());
  const Tensor inputs = randint(0, characters, {2, T}), targets = randint(0, characters, {2, T});
  const auto* m = model.get();
  return {std::move(model), [m, inputs, targets] { return m->loss(inputs, targets, 0); }};
}

Sample points_sample(const PointsType& type, SampleSize size) {
  auto model = type.make(*config_of(type, size), Weights::drawn);
  nn::to(model->module(), f64);
  const data::TwoMoons moons = data::two_moons(16);
  const Tensor points = to(moons.points, f64), labels = to(moons.labels, f64);
  const auto* m = model.get();
  return {std::move(model), [m, points, labels] { return m->loss(points, labels); }};
}

}  // namespace

Sample sample_of(const ModelType& type, SampleSize size) {
  manual_seed(1);
  Sample sample;
  switch (type.kind) {
    case Kind::translation:
      sample = translation_sample(dynamic_cast<const TranslationType&>(type), size);
      break;
    case Kind::language_model:
      sample = language_model_sample(dynamic_cast<const LanguageModelType&>(type), size);
      break;
    case Kind::points: sample = points_sample(dynamic_cast<const PointsType&>(type), size); break;
  }
  nn::eval(sample.model->module());
  return sample;
}

Sample sample_of_run(const std::string& checkpoint) {
  const auto below = [](int64_t n, const Dims& shape) {
    return randint(std::min<int64_t>(4, n - 1), n, shape);
  };
  manual_seed(1);
  switch (read_config(checkpoint + "/config.json").type().kind) {
    case Kind::translation: {
      Translator t = load_translator(checkpoint);
      const auto* m = t.model.get();
      const int64_t L = std::min<int64_t>(5, m->positions());
      const Tensor source = below(t.source->size(), {2, L}),
                   target = below(t.target->size(), {2, L});
      return {std::move(t.model), [m, source, target] { return m->loss(source, target, 0); }};
    }
    case Kind::language_model: {
      TextModel t = load_language_model(checkpoint);
      const auto* m = t.model.get();
      const int64_t L = std::min<int64_t>(5, m->block_size());
      const Tensor inputs = below(t.tokenizer->size(), {2, L}),
                   targets = below(t.tokenizer->size(), {2, L});
      return {std::move(t.model), [m, inputs, targets] { return m->loss(inputs, targets, 0); }};
    }
    case Kind::points: {
      Classifier c = load_points_model(checkpoint);
      const auto* m = c.model.get();
      const data::TwoMoons moons = data::two_moons(16);
      return {std::move(c.model), [m, moons] {
                const DType dtype = nn::named_parameters(m->module())[0].tensor.dtype();
                return m->loss(to(moons.points, dtype), to(moons.labels, dtype));
              }};
    }
  }
  return {};
}

Sample sample_named(const std::string& name, SampleSize size) {
  if (const ModelType* type = find_model(name)) return sample_of(*type, size);
  if (sys::is_folder(name)) return sample_of_run(checkpoint_folder(name));
  return sample_of(model_named(name), size);  // which throws
}

namespace {

// Calls f(model) with a model of the type's default config.
template <class F>
auto with_default_model(const ModelType& type, Weights weights, const F& f) {
  const auto config = type.config();
  switch (type.kind) {
    case Kind::translation:
      return f(*dynamic_cast<const TranslationType&>(type).make(*config, multi30k, weights));
    case Kind::language_model:
      return f(*dynamic_cast<const LanguageModelType&>(type).make(*config, shakespeare_characters,
                                                                  weights));
    case Kind::points: break;
  }
  return f(*dynamic_cast<const PointsType&>(type).make(*config, weights));
}

Tensor ids(int64_t n) { return full({1, n}, 4, i64); }

nn::Summary summary_of(const TranslationModel& m) {
  const Tensor sentence = ids(m.positions());
  return nn::summary_of(m.module(), {sentence, sentence},
                        [&] { return m.logits(sentence, sentence); });
}
nn::Summary summary_of(const LanguageModel& m) {
  const Tensor text = ids(m.block_size());
  return nn::summary_of(m.module(), {text}, [&] { return m.logits(text); });
}
nn::Summary summary_of(const PointsModel& m) {
  const Tensor point = zeros({1, 2});
  return nn::summary_of(m.module(), {point}, [&] { return m.logits(point); });
}

}  // namespace

int64_t count_default_parameters(const ModelType& type) {
  return with_default_model(type, Weights::unset,
                            [](const auto& model) { return nn::count_parameters(model.module()); });
}

nn::Summary default_summary(const ModelType& type) {
  manual_seed(1);
  return with_default_model(type, Weights::drawn,
                            [](const auto& model) { return summary_of(model); });
}

}  // namespace slope::train
