#include <slope/models/data/two_moons.h>
#include <slope/models/data/vocab.h>
#include <slope/models/lint/subject.h>

#include <algorithm>

namespace slope::train {

using namespace models;

namespace {

// Token ids, without special ones if there are enough others; most neighbours differ.
Tensor ids(int64_t rows, int64_t columns, int64_t vocabulary, int64_t shift = 0) {
  const int64_t first = std::clamp<int64_t>(vocabulary - 2, 0, 4), n = vocabulary - first;
  std::vector<int64_t> values;
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t t = 0; t < columns; ++t)
      values.push_back(first + (3 * b + 5 * t + b * t + shift) % n);
  return from_vector(values, {rows, columns});
}

// Row b is b tokens shorter, but has at least two, and is padded at the end.
Tensor shortened(const Tensor& x) {
  const auto [B, T] = x.dims<2>();
  const Tensor length = clamp((T - arange(B)).to(f64), 2, {}).unsqueeze(1);
  return where(arange(T).to(f64) < length, x, full_like(x, data::pad_id));
}

Tensor first_rows(const Tensor& x, const Tensor& as_many_as) {
  return x.narrow(0, 0, as_many_as.size(0));
}

constexpr int64_t usual_columns = 5, rows = 4;

}  // namespace

Subject subject_of(std::unique_ptr<TranslationModel> model, const VocabSizes& sizes,
                   int64_t columns) {
  nn::to(model->module(), f64);
  const auto* m = model.get();
  const Tensor source = ids(rows, columns, sizes.source),
               target = ids(rows, columns, sizes.target, 1);
  const Tensor ragged = shortened(source), shorter = shortened(target);
  const auto loss = [=](int64_t first, int64_t n) {
    return m->loss(ragged.narrow(0, first, n), shorter.narrow(0, first, n), 0);
  };
  return {.model = std::move(model),
          .rows = rows,
          .loss = loss,
          .inputs = {{"source", source,
                      [=](const Tensor& x) { return m->logits(x, first_rows(target, x)); }, true,
                      false, data::pad_id},
                     {"target", target,
                      [=](const Tensor& x) { return m->logits(first_rows(source, x), x); }, true,
                      true, data::pad_id}},
          .use = [=] { static_cast<void>(m->decoding(true)(source)->step(target.select(1, 0))); },
          .longest = m->positions()};
}

Subject subject_of(std::unique_ptr<LanguageModel> model, int64_t vocabulary, int64_t columns) {
  nn::to(model->module(), f64);
  const auto* m = model.get();
  const Tensor text = ids(rows, columns, vocabulary), next = flip(text, {1});
  const auto loss = [=](int64_t first, int64_t n) {
    return m->loss(text.narrow(0, first, n), next.narrow(0, first, n), 0);
  };
  return {.model = std::move(model),
          .rows = rows,
          .loss = loss,
          .inputs = {{"text", text, [=](const Tensor& x) { return m->logits(x); }, true, true}},
          .use = [=] { static_cast<void>(m->start()->step(text.narrow(0, 0, 1))); },
          .longest = m->block_size()};
}

Subject subject_of(std::unique_ptr<PointsModel> model) {
  nn::to(model->module(), f64);
  const auto* m = model.get();
  const data::TwoMoons moons = data::two_moons(16);
  const Tensor points = moons.points.to(f64), labels = moons.labels.to(f64);
  const auto loss = [=](int64_t first, int64_t n) {
    return m->loss(points.narrow(0, first, n), labels.narrow(0, first, n));
  };
  return {
      .model = std::move(model),
      .rows = points.size(0),
      .loss = loss,
      .inputs = {{"points", points, [=](const Tensor& x) { return m->logits(x); }, false, false}},
      .use = [=] { static_cast<void>(m->logits(points)); }};
}

Subject subject_of(const ModelType& type, const ModelConfig& config, const VocabSizes& sizes,
                   std::optional<int64_t> columns) {
  const auto usual = [&](int64_t longest) {
    return columns.value_or(std::min(usual_columns, longest));
  };
  manual_seed(1);
  switch (type.kind) {
    case Kind::translation: {
      auto m = dynamic_cast<const TranslationType&>(type).make(config, sizes, Weights::drawn);
      const int64_t longest = m->positions();
      return subject_of(std::move(m), sizes, usual(longest));
    }
    case Kind::language_model: {
      auto m =
          dynamic_cast<const LanguageModelType&>(type).make(config, sizes.source, Weights::drawn);
      const int64_t longest = m->block_size();
      return subject_of(std::move(m), sizes.source, usual(longest));
    }
    case Kind::points:
      return subject_of(dynamic_cast<const PointsType&>(type).make(config, Weights::drawn));
  }
  return {};
}

int64_t longest_input(const ModelType& type, const ModelConfig& config) {
  switch (type.kind) {
    case Kind::translation:
      return dynamic_cast<const TranslationType&>(type)
          .make(config, {11, 12}, Weights::unset)
          ->positions();
    case Kind::language_model:
      return dynamic_cast<const LanguageModelType&>(type).block_size(config);
    case Kind::points: return 0;
  }
  return 0;
}

}  // namespace slope::train
