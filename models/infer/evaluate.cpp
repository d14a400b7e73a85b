#include <slope/models/data/bleu.h>
#include <slope/models/data/detokenize.h>
#include <slope/models/infer/evaluate.h>
#include <slope/models/run/json.h>

#include <cmath>
#include <limits>

namespace slope::train {

namespace {

EvalResult figures(const Evaluation& evaluation) {
  return {
      .tokens = evaluation.targets, .loss = evaluation.loss(), .ppl = std::exp(evaluation.loss())};
}

// The pairs that the model can take, by the rule of encode_pairs.
data::ParallelText usable(const Translator& translator, const data::ParallelText& text) {
  data::ParallelText kept{
      .source = {}, .target = {}, .source_file = text.source_file, .target_file = text.target_file};
  const auto positions = static_cast<size_t>(translator.model.config.max_len);
  for (size_t i = 0; i < text.source.size(); ++i) {
    const size_t source = data::split_words(text.source[i]).size(),
                 target = data::split_words(text.target[i]).size();
    if (source == 0 || target == 0 || source + 2 > positions || target + 1 > positions) continue;
    kept.source.push_back(text.source[i]);
    kept.target.push_back(text.target[i]);
  }
  return kept;
}

}  // namespace

EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text,
                               const DecodeOptions& options) {
  const nn::EvalMode eval(translator.model);
  const data::ParallelText kept = usable(translator, text);
  const data::Pairs pairs = data::encode_pairs(text, translator.source, translator.target,
                                               translator.model.config.max_len);
  EvalResult result = figures(evaluate_pairs(translator.model, pairs.pairs, options.batch_size));

  std::vector<data::Tokens> hypotheses, references;
  std::vector<std::string> lines;
  for (const data::Tokens& tokens : translate_tokens(translator, kept.source, options)) {
    lines.push_back(data::detokenize(tokens));
    hypotheses.push_back(tokens);
  }
  for (const std::string& line : kept.target) references.push_back(data::split_words(line));
  result.bleu = data::token_bleu(hypotheses, references).score;
  result.sacrebleu = data::SacreBleu{}(lines, kept.target).score;
  result.skipped = static_cast<int64_t>(text.source.size() - kept.source.size());
  return result;
}

EvalResult evaluate_language_model(const LanguageModel& model, const std::string& text) {
  const nn::EvalMode eval(model.model);
  return figures(evaluate_text(model.model, model.vocab.encode_characters(text),
                               model.settings.training.batch_size));
}

std::string EvalResult::json() const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return json_line({{"tokens", tokens},
                    {"loss", loss},
                    {"ppl", ppl},
                    {"bleu", bleu.value_or(none)},
                    {"sacrebleu", sacrebleu.value_or(none)},
                    {"skipped", skipped}});
}

}  // namespace slope::train
