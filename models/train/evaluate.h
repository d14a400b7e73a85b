// Figures of a trained model on data that it has not seen.
#pragma once

#include <slope/models/train/language_model.h>
#include <slope/models/train/translate.h>

#include <optional>

namespace slope::train {

struct EvalResult {
  int64_t tokens = 0;                    // predicted: <eos> counts
  double loss = 0;                       // mean cross entropy of a token, in nats
  double ppl = 0;                        // exp(loss)
  std::optional<double> bleu = {};       // on the model's own tokens, references with their unknown words
  std::optional<double> sacrebleu = {};  // on lines as translate writes them against the references as they are, lower-cased, 13a
  int64_t skipped = 0;                   // pairs that are empty on a side or longer than the model's positions: they count nowhere

  std::string json()
      const;  // {"tokens":…,"loss":…,"ppl":…,"bleu":…,"sacrebleu":…,"skipped":…}; null where there is none or it is not finite
};

EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text, const DecodeOptions& options = {});

// A whole text in blocks that do not overlap: each character but the first is predicted once. InputError where it has fewer than two, or
// one that the vocabulary lacks.
EvalResult evaluate_language_model(const LanguageModel& model, const std::string& text);

}  // namespace slope::train
