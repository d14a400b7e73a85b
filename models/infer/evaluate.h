// Figures of a trained model on data that it has not seen.
#pragma once

#include <slope/models/infer/translate.h>
#include <slope/models/kinds/language_model.h>

#include <optional>

namespace slope::train {

struct EvalResult {
  int64_t tokens = 0;  // predicted: <eos> counts
  double loss = 0;     // mean cross entropy of a token, in nats
  double ppl = 0;      // exp(loss)
  // on the model's own tokens, references with their unknown words
  std::optional<double> bleu = {};
  // on lines as translate writes them against the references as they are, lower-cased, 13a
  std::optional<double> sacrebleu = {};
  // pairs that are empty on a side or longer than the model's positions: they count nowhere
  int64_t skipped = 0;

  // {"tokens":…,"loss":…,"ppl":…,"bleu":…,"sacrebleu":…,"skipped":…}; null where there is none or
  // it is not finite
  std::string json() const;
};

EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text,
                               const DecodeOptions& options = {});

// A whole text in blocks that do not overlap: each character but the first is predicted once.
// InputError where it has fewer than two, or one that the vocabulary lacks.
EvalResult evaluate_language_model(const LanguageModel& model, const std::string& text);

}  // namespace slope::train
