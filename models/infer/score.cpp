#include <slope/autograd/grad_mode.h>
#include <slope/models/data/batches.h>
#include <slope/models/infer/score.h>

#include <algorithm>
#include <cmath>

namespace slope::train {

namespace {

constexpr int64_t batch_size = 16;  // pairs; the logits of all their tokens are in memory at once

// "<unk>" is the unknown token, as a translation writes it; encode() would read three words.
data::Ids ids_of_translation(const std::string& text, const data::Tokenizer& tokenizer) {
  const std::string unknown = tokenizer.token(data::unk_id);
  data::Ids ids;
  for (size_t begin = 0;;) {
    const size_t at = text.find(unknown, begin), end = std::min(at, text.size());
    const data::Ids part = tokenizer.encode(text.substr(begin, end - begin));
    ids.insert(ids.end(), part.begin(), part.end());
    if (at == text.npos) return ids;
    ids.push_back(data::unk_id);
    begin = at + unknown.size();
  }
}

data::Pair encode(const Translator& translator, const std::string& source,
                  const std::string& target, size_t line) {
  data::Pair pair{data::encode_sentence(source, *translator.source),
                  data::as_sentence(ids_of_translation(target, *translator.target))};
  const int64_t positions = translator.model->positions();
  const auto length = static_cast<int64_t>(std::max(pair.source.size(), pair.target.size() - 1));
  SLOPE_CHECK_INPUT(length <= positions,
                    "line {}: a side of {} tokens is longer than the model's {} positions "
                    "(max_len); shorten or split it",
                    line, length, positions);
  return pair;
}

Tensor matrix(const std::vector<int64_t>& values, int64_t rows) {
  return from_vector(values, {rows, static_cast<int64_t>(values.size()) / rows});
}

}  // namespace

std::vector<PairScore> score_pairs(const Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const std::vector<std::string>& targets, double length_penalty) {
  SLOPE_CHECK_INPUT(sources.size() == targets.size(), "score: {} translations for {} lines",
                    targets.size(), sources.size());
  std::vector<data::Pair> pairs;
  for (size_t i = 0; i < sources.size(); ++i)
    pairs.push_back(encode(translator, sources[i], targets[i], i + 1));
  const NoGrad no_grad;
  const nn::EvalMode eval;
  std::vector<PairScore> scores(pairs.size());
  for (const data::Rows& rows : data::sorted_order(pairs, batch_size)) {
    const data::Batch batch = data::make_batch(pairs, rows);
    const int64_t B = batch.size, T = batch.target_length - 1;
    const Tensor target = matrix(batch.target, B);  // (B, T + 1)
    const Tensor logits = translator.model->logits(matrix(batch.source, B), target.slice(1, 0, T));
    const Tensor losses = cross_entropy(
        logits.reshape({B * T, logits.size(2)}), target.slice(1, 1, T + 1).reshape({B * T}),
        {.ignore_index = data::pad_id, .reduction = Reduction::none});
    const std::vector<double> values = losses.to_vector();
    for (int64_t b = 0; b < B; ++b) {
      const auto i = static_cast<size_t>(rows[static_cast<size_t>(b)]);
      PairScore& s = scores[i];
      s.tokens = static_cast<int64_t>(pairs[i].target.size()) - 1;
      for (int64_t t = 0; t < s.tokens; ++t) s.log_p -= values[static_cast<size_t>(b * T + t)];
      SLOPE_CHECK_AS(NumericError, std::isfinite(s.log_p),
                     "score: line {}: the log-probability is {}: the model's numbers overflow",
                     i + 1, s.log_p);
      s.score = s.log_p / std::pow(static_cast<double>(s.tokens), length_penalty);
    }
  }
  return scores;
}

}  // namespace slope::train
