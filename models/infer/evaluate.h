// Figures of a trained model on held-out data.
#pragma once

#include <slope/models/data/metrics/bleu.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/infer/known_text.h>
#include <slope/models/infer/translate.h>

#include <optional>

namespace slope::train {

struct LineScores {  // as sacreBLEU computes them, lower-cased and as they are
  data::Bleu bleu, bleu_cased;
  double chrf = 0, chrf_cased = 0;

  std::string text() const;  // in sacreBLEU's form: name|signature = score …; four lines
};

struct EvalResult {
  int64_t tokens = 0;  // predicted tokens, including <eos>
  double loss = 0;     // mean cross entropy of a token, in nats
  double ppl = 0;      // exp(loss)
  // on the model's own tokens; references keep their unknown words
  std::optional<double> bleu = {};
  // on lines as translate writes them, against the references, both composed (NFC)
  std::optional<LineScores> lines = {};
  // pairs that are empty on one side or longer than the model's positions; characters that a
  // language model does not know: they are not counted
  int64_t skipped = 0;
  std::optional<double> accuracy = {};  // share of points on the right side

  // {"tokens":…,"loss":…,"ppl":…,"bleu":…,"sacrebleu":…,"sacrebleu_cased":…,"chrf":…,
  // "chrf_cased":…,"skipped":…,"accuracy":…}; null if a value is missing or not finite
  std::string json() const;
};

EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text,
                               const DecodeOptions& options = {});

// A whole text in blocks that do not overlap: each token but the first is predicted once. A run on
// documents predicts each line by itself.
// InputError if it has fewer than two characters, or one that the vocabulary lacks.
EvalResult evaluate_language_model(const TextModel& model, const std::string& text);

// Lines "x,y,label" with label 0 or 1; InputError names an invalid line.
EvalResult evaluate_points_model(const Classifier& classifier, const std::string& lines);

// Evaluates a run of any kind on the data called `name`: a prefix of parallel text, a text, a file
// of points ("-": standard input). `weights`: load.h. UsageError for options that are not for that
// kind.
EvalResult evaluate_run(const std::string& checkpoint, const std::string& name,
                        const DecodeOptions& options = {},
                        UnknownCharacters unknown = UnknownCharacters::refuse, DType weights = f32);

}  // namespace slope::train
