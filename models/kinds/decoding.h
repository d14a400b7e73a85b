// How a search (infer/search/decode.h) sees a translation model: as sentences being written, a
// token at a time.
#pragma once

#include <slope/autograd/ops.h>

#include <functional>
#include <memory>

namespace slope::models {

class Decoding {  // one row for each sentence
 public:
  virtual ~Decoding() = default;
  virtual Tensor step(
      const Tensor& newest) = 0;  // (R,) newest token of each row -> (R, V) logits of the next
  virtual void select(const Tensor& rows) = 0;  // selects, repeats and reorders rows: (R',)
};
using StartDecoding =
    std::function<std::unique_ptr<Decoding>(const Tensor& source)>;  // (R, S), padded

// For models with start(source), step(newest, cache) and Cache::select(rows): each step computes
// only what is new.
template <class M>
StartDecoding cached_decoding(const M& model) {
  struct Cached : Decoding {
    const M& model;
    typename M::Cache cache;
    Cached(const M& model, const Tensor& source) : model(model), cache(model.start(source)) {}
    Tensor step(const Tensor& newest) override { return model.step(newest, cache); }
    void select(const Tensor& rows) override { cache.select(rows); }
  };
  return [&model](const Tensor& source) { return std::make_unique<Cached>(model, source); };
}

// For models with features(source, target) and head(x): each step computes the whole prefix. Tests
// compare cached decoding with this.
template <class M>
StartDecoding uncached_decoding(const M& model) {
  struct Uncached : Decoding {
    const M& model;
    Tensor source, target;  // (R, S), (R, T)
    Uncached(const M& model, const Tensor& source) : model(model), source(source) {}
    Tensor step(const Tensor& newest) override {
      const Tensor column = newest.unsqueeze(1);  // (R, 1)
      target = target.defined() ? cat({target, column}, 1) : column;
      return model.head(model.features(source, target).select(1, -1));
    }
    void select(const Tensor& rows) override {
      source = index_select(source, 0, rows);
      if (target.defined()) target = index_select(target, 0, rows);
    }
  };
  return [&model](const Tensor& source) { return std::make_unique<Uncached>(model, source); };
}

}  // namespace slope::models
