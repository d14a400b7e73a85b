// Decoding: from source sentences to the target sentences that a model finds most likely, greedily
// or by beam search. The search knows a model as three functions, so that a table of probabilities
// can stand for it in tests.
#pragma once

#include <slope/autograd/ops.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace slope::train {

using Sentence = std::vector<int64_t>;  // token numbers

// Sentences that are being written: a row each.
class Decoding {
 public:
  virtual ~Decoding() = default;
  // (R,) the newest token of each row -> (R, V) logits of the next
  virtual Tensor step(const Tensor& newest) = 0;
  virtual void select(const Tensor& rows) = 0;  // keeps, repeats and reorders rows: (R',)
};
// (R, S), padded
using StartDecoding = std::function<std::unique_ptr<Decoding>(const Tensor& source)>;

// at once, for the sake of memory; more where batch_size says so
constexpr int64_t most_prefixes = 256;

struct DecodeOptions {
  int64_t beam = 1;  // 1: greedy
  // alpha of score = log p / length^alpha; length counts <eos>; 0: log p alone, which
  // favours short sentences
  double length_penalty = 1;
  int64_t max_length = 0;  // tokens; a sentence that has no <eos> among them is cut off; 0: as many
                           // as the model has positions
  int64_t batch_size = 64;  // sentences at once; fewer where their beams together have more than
                            // `most_prefixes` prefixes
  // never write <unk>, but the likeliest other token; probabilities stay the model's
  bool ban_unk = false;
  bool cached = true;  // false: the whole prefix at each step, for comparison
  friend bool operator==(const DecodeOptions&, const DecodeOptions&) = default;
};

// The best target of each source, without <sos> and <eos>. Sources (<sos> … <eos>) may come in any
// order: they are decoded in batches of like length. Of equally good tokens the lower number wins.
// <pad> and <sos> are never written. Sentences that are finished leave the batch.
//   A beam keeps the `beam` best unfinished prefixes. One that ends in <eos> and is among
//   the `beam` best continuations is finished; a sentence is done when `beam` are
//   finished, and the best of them by score is taken. A beam of 1 is greedy decoding: the
//   likeliest token at each step.
// A search that knows no model needs a max_length of at least 1. UsageError for options that make
// no sense; NumericError where a logit is nan.
std::vector<Sentence> decode(const StartDecoding& start, const std::vector<Sentence>& sources,
                             const DecodeOptions& options);

// Models with start(source), step(newest, cache) and Cache::select(rows): each step
// computes what is new.
template <class Model>
StartDecoding cached_decoding(const Model& model) {
  struct Cached : Decoding {
    const Model& model;
    typename Model::Cache cache;
    Cached(const Model& model, const Tensor& source) : model(model), cache(model.start(source)) {}
    Tensor step(const Tensor& newest) override { return model.step(newest, cache); }
    void select(const Tensor& rows) override { cache.select(rows); }
  };
  return [&model](const Tensor& source) { return std::make_unique<Cached>(model, source); };
}

// Models with features(source, target) and head(x): each step computes everything anew. The
// reference for the other.
template <class Model>
StartDecoding uncached_decoding(const Model& model) {
  struct Uncached : Decoding {
    const Model& model;
    Tensor source, target;  // (R, S), (R, T)
    Uncached(const Model& model, const Tensor& source) : model(model), source(source) {}
    Tensor step(const Tensor& newest) override {
      target = target.defined() ? cat({target, newest.unsqueeze(1)}, 1) : newest.unsqueeze(1);
      return model.head(model.features(source, target).select(1, -1));
    }
    void select(const Tensor& rows) override {
      source = index_select(source, 0, rows);
      if (target.defined()) target = index_select(target, 0, rows);
    }
  };
  return [&model](const Tensor& source) { return std::make_unique<Uncached>(model, source); };
}

}  // namespace slope::train
