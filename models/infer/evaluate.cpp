#include <slope/autograd/grad_mode.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/text/parse_number.h>
#include <slope/models/data/metrics/chrf.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/data/text/unicode.h>
#include <slope/models/infer/evaluate.h>
#include <slope/models/run/checkpoint_files.h>
#include <slope/models/run/json.h>
#include <slope/models/train/tasks/document_task.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/tasks/translation_task.h>

#include <cmath>
#include <limits>

namespace slope::train {

namespace {

EvalResult metrics(const Evaluation& evaluation) {
  SLOPE_CHECK_INPUT(evaluation.targets > 0, "holds nothing to evaluate");
  SLOPE_CHECK_AS(
      NumericError, std::isfinite(evaluation.loss()),
      "eval: the loss is {}: the model's numbers overflow; if they do on other data too, train it "
      "again with a smaller --lr, or with every member named in SLOPE_MODULE",
      evaluation.loss());
  return {
      .tokens = evaluation.targets, .loss = evaluation.loss(), .ppl = std::exp(evaluation.loss())};
}

using Lines = std::vector<std::string>;
constexpr data::SacreBleu bleu{.lower_case = true}, bleu_cased{.lower_case = false};
constexpr data::Chrf chrf{.lower_case = true}, chrf_cased{.lower_case = false};

LineScores line_scores(const Lines& hypotheses, const Lines& references) {
  return {.bleu = bleu(hypotheses, references),
          .bleu_cased = bleu_cased(hypotheses, references),
          .chrf = chrf(hypotheses, references),
          .chrf_cased = chrf_cased(hypotheses, references)};
}

}  // namespace

std::string LineScores::text() const {
  return fmt::format("BLEU|{} = {}\nBLEU|{} = {}\nchrF2|{} = {:.2f}\nchrF2|{} = {:.2f}\n",
                     train::bleu.signature(), bleu.text(), train::bleu_cased.signature(),
                     bleu_cased.text(), train::chrf.signature(), chrf,
                     train::chrf_cased.signature(), chrf_cased);
}

EvalResult evaluate_translator(const Translator& translator, const data::ParallelText& text,
                               const DecodeOptions& options) {
  const nn::EvalMode eval;
  const data::Pairs pairs = data::encode_pairs(text, *translator.source, *translator.target,
                                               translator.model->positions());
  EvalResult result = metrics(evaluate_pairs(*translator.model, pairs.pairs, options.batch_size));
  result.unknown =
      unknown_share(count_tokens(pairs.pairs, &data::Pair::target), *translator.target);
  result.unknown_source =
      unknown_share(count_tokens(pairs.pairs, &data::Pair::source), *translator.source);

  std::vector<std::string> sources, targets, lines;  // of the pairs that fit the model
  for (size_t i : pairs.lines) {
    sources.push_back(text.source[i]);
    targets.push_back(data::nfc(text.target[i]));
  }
  std::vector<data::Tokens> hypotheses, references;
  for (const Translations& best : translate(translator, sources, options)) {
    lines.push_back(data::nfc(best[0].text));
    hypotheses.push_back(translator.target->words(best[0].ids));
  }
  for (const std::string& line : targets) references.push_back(data::split_words(line));
  result.bleu = data::token_bleu(hypotheses, references).score;
  result.lines = line_scores(lines, targets);
  result.skipped = static_cast<int64_t>(text.source.size() - sources.size());
  return result;
}

EvalResult evaluate_language_model(const TextModel& model, const std::string& text) {
  const nn::EvalMode eval;
  const bool by_line = model.settings.data<TextSettings>().documents == "lines";
  const data::Documents documents =
      by_line ? data::encode_documents(data::split_lines(text), *model.tokenizer)
              : data::Documents{model.tokenizer->encode(text)};
  EvalResult result = metrics(
      by_line ? evaluate_documents(*model.model, documents)
              : evaluate_text(*model.model, documents[0], model.settings.training.batch_size));
  result.unknown = unknown_share(count_tokens(documents), *model.tokenizer);
  return result;
}

EvalResult evaluate_points_model(const Classifier& classifier, const std::string& lines) {
  constexpr double largest = std::numeric_limits<float>::max();
  std::vector<float> xy, labels;
  int64_t number = 0;
  for (const std::string& line : data::split_lines(lines)) {
    ++number;
    double x = 0, y = 0, label = 0;
    const size_t first = line.find(','), second = line.find(',', first + 1);
    const bool good = first != line.npos && second != line.npos &&
                      parse_number(line.substr(0, first), x) &&
                      parse_number(line.substr(first + 1, second - first - 1), y) &&
                      parse_number(line.substr(second + 1), label) && std::abs(x) <= largest &&
                      std::abs(y) <= largest && (label == 0 || label == 1);
    SLOPE_CHECK_INPUT(good,
                      "line {}: expected \"x,y,label\" with label 0 or 1, and x and y that fit "
                      "in 32 bits",
                      number);
    xy.push_back(static_cast<float>(x));
    xy.push_back(static_cast<float>(y));
    labels.push_back(static_cast<float>(label));
  }
  const NoGrad no_grad;
  const nn::EvalMode eval;
  const auto N = static_cast<int64_t>(labels.size());
  const Tensor points = from_vector(xy, {N, 2}), sides = from_vector(labels, {N, 1});
  EvalResult result =
      metrics({.loss_sum = classifier.model->loss(points, sides).item(), .targets = N});
  const std::vector<double> logits = classifier.model->logits(points).to_vector();
  int64_t right = 0;
  for (size_t i = 0; i < labels.size(); ++i) right += (logits[i] > 0) == (labels[i] > 0.5F);
  result.accuracy = static_cast<double>(right) / static_cast<double>(N);
  return result;
}

EvalResult evaluate_run(const std::string& checkpoint, const std::string& path,
                        const DecodeOptions& options, UnknownCharacters unknown, DType weights) {
  const RunSettings settings = read_config(checkpoint + "/config.json");
  const models::Kind kind = settings.type().kind;
  SLOPE_CHECK_AS(UsageError, kind == models::Kind::translation || options == DecodeOptions(),
                 "--beam, --length-penalty and --unk are for translations; {} is a run of {}",
                 checkpoint, settings.type().name);
  SLOPE_CHECK_AS(UsageError,
                 kind == models::Kind::language_model || unknown == UnknownCharacters::refuse,
                 "--unknown-characters is for language models; {} is a run of {}", checkpoint,
                 settings.type().name);
  const std::string shown = InputStream::name_of(path);
  switch (kind) {
    case models::Kind::translation: {
      const auto& d = settings.data<ParallelTextSettings>();
      const Translator translator = load_translator(checkpoint, weights);
      return evaluate_translator(translator, data::read_parallel(path, d.source, d.target),
                                 options);
    }
    case models::Kind::language_model: {
      const TextModel model = load_language_model(checkpoint, weights);
      const std::string text = data::read_text(path);
      return blame(shown, [&] {
        const KnownText known = known_text(text, *model.tokenizer, unknown);
        SLOPE_CHECK_INPUT(known.skipped == 0 || !known.text.empty(),
                          "the run's vocabulary has no character of the text");
        EvalResult result = evaluate_language_model(model, known.text);
        result.skipped = known.skipped;
        return result;
      });
    }
    case models::Kind::points: {
      const Classifier classifier = load_points_model(checkpoint, weights);
      const std::string text = data::read_text(path);
      return blame(shown, [&] { return evaluate_points_model(classifier, text); });
    }
  }
  return {};
}

std::string EvalResult::json() const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return json_line({{"tokens", tokens},
                    {"loss", loss},
                    {"ppl", ppl},
                    {"bleu", bleu.value_or(none)},
                    {"sacrebleu", lines ? lines->bleu.score : none},
                    {"sacrebleu_cased", lines ? lines->bleu_cased.score : none},
                    {"chrf", lines ? lines->chrf : none},
                    {"chrf_cased", lines ? lines->chrf_cased : none},
                    {"skipped", skipped},
                    {"unknown", unknown.value_or(none)},
                    {"unknown_source", unknown_source.value_or(none)},
                    {"accuracy", accuracy.value_or(none)}});
}

}  // namespace slope::train
