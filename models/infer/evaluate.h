// Metrics of a trained model on held-out data.
#pragma once

#include <slope/models/data/metrics/bleu.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/infer/known_text.h>
#include <slope/models/infer/translate.h>

#include <optional>

namespace slope::train {

struct LineScores {                 // as sacreBLEU computes them
  data::Bleu bleu, bleu_cased;      // lower-cased; with the case as it is
  double chrf = 0, chrf_cased = 0;  // the same for chrF2, 0 to 100

  std::string text() const;  // in sacreBLEU's form: name|signature = score …; four lines
};

struct EvalResult {
  int64_t tokens = 0;  // how many tokens (<eos> included) or points were predicted
  double loss = 0;     // mean cross entropy per token or point, in nats
  double ppl = 0;      // exp(loss)
  // on lower-cased words (Tokenizer::words), against lower-cased references in NFC, which keep
  // words that the vocabulary lacks; 0 to 100
  std::optional<double> bleu = {};
  // on lines as translate writes them, against the references, both composed (NFC)
  std::optional<LineScores> lines = {};
  // pairs that are empty on one side or longer than the model's positions; characters that a
  // language model does not know. They enter none of the other numbers
  int64_t skipped = 0;
  // share of <unk> in the text (of documents also beyond block_size), and in the source of a
  // translation, 0 to 1; none if the tokenizer has no <unk>
  std::optional<double> unknown = {}, unknown_source = {};
  std::optional<double> accuracy = {};  // share of the points classified correctly, 0 to 1

  // {"tokens":…,"loss":…,"ppl":…,"bleu":…,"sacrebleu":…,"sacrebleu_cased":…,"chrf":…,
  // "chrf_cased":…,"skipped":…,"unknown":…,"unknown_source":…,"accuracy":…}; null if a value is
  // missing or not finite
  std::string json() const;
};

// The loss on the pairs of lines, and the scores of the sources' translations.
EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text,
                               const DecodeOptions& options = {});

// A whole text in blocks that do not overlap: each token but the first is predicted once. A model
// trained on documents (setting `documents`) predicts each line by itself, including its end, up to
// the model's block size; empty lines are skipped. InputError if a whole text has fewer than two
// tokens, all lines are empty, or the tokenizer lacks a character.
EvalResult evaluate_language_model(const TextModel& model, const std::string& text);

// Lines "x,y,label" with label 0 or 1. InputError if there is no line, or one (named) is invalid.
EvalResult evaluate_points_model(const Classifier& classifier, const std::string& lines);

// Evaluates a run of any kind on `path`: a prefix of parallel text, or a file of text or points
// ("-": standard input). `weights`: the dtype of the model's weights (load.h). UsageError if an
// option is given that belongs to another kind.
EvalResult evaluate_run(const std::string& checkpoint, const std::string& path,
                        const DecodeOptions& options = {},
                        UnknownCharacters unknown = UnknownCharacters::refuse, DType weights = f32);

}  // namespace slope::train
