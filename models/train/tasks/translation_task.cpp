#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/shuffle.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/tasks/rows.h>
#include <slope/models/train/tasks/translation_task.h>
#include <slope/models/train/tasks/unknown.h>

#include <algorithm>

namespace slope::train {

namespace {

using Texts = std::vector<const std::vector<std::string>*>;

std::string checksum(const data::ParallelText& text) {
  uint32_t crc = 0;
  for (const auto* side : {&text.source, &text.target})
    for (const std::string& line : *side) crc = crc32c(line + "\n", crc);
  return fmt::format("{:08x}", crc);
}

std::unique_ptr<models::TranslationModel> make(const RunSettings& settings,
                                               const models::VocabSizes& sizes) {
  manual_seed(static_cast<uint64_t>(settings.training.seed));
  return dynamic_cast<const models::TranslationType&>(settings.type())
      .make(settings.config(), sizes, models::Weights::drawn);
}

// Sentences begin … end - 1 of a padded batch: (B, T)
Tensor part(const std::vector<int64_t>& sentences, int64_t begin, int64_t end, int64_t length) {
  return rows(sentences, begin, end, length);
}

struct Sentences {
  TokenCount tokens;
  int64_t longest = 0;
};

Sentences measured(const std::vector<data::Pair>& pairs, const data::Ids data::Pair::*side) {
  Sentences s{.tokens = count_tokens(pairs, side)};
  for (const data::Pair& pair : pairs)  // without <sos> and <eos>
    s.longest = std::max(s.longest, static_cast<int64_t>((pair.*side).size()) - 2);
  return s;
}

// "de 13.2 tokens (longest 44), 1.25 % of them <unk>"
std::string in_words(const std::string& language, const Sentences& s, size_t pairs) {
  const double share = s.tokens.unknown_share();
  return fmt::format("{} {:.1f} tokens (longest {}){}", language,
                     static_cast<double>(s.tokens.all) / static_cast<double>(pairs), s.longest,
                     share > 0 ? fmt::format(", {:.3g} % of them <unk>", 100 * share) : "");
}

// The training text of a tokenizer's stem: "train.de", for both languages "train.de and train.en".
std::string file_of(const ParallelTextSettings& d, const std::string& stem) {
  const std::string prefix = d.train.empty() ? "the bundled train" : d.train;
  const std::string source = prefix + "." + d.source, target = prefix + "." + d.target;
  return stem == "source" ? source : stem == "target" ? target : source + " and " + target;
}

}  // namespace

TranslationTask::TranslationTask(const RunSettings& settings, const data::ParallelText& training,
                                 const data::ParallelText& validation)
    : ModelTask(settings), fingerprint_(same_data(checksum(training) + checksum(validation))) {
  const auto& d = settings.data<ParallelTextSettings>();
  const auto of = [&](const char* stem, const Texts& texts) {
    return tokenizer(stem, [&] {
      try {
        return data::make_tokenizer(settings.tokenizer(), texts);
      } catch (const InputError& e) {
        if (!settings.tokenizer().model_file.empty()) throw;  // it is named
        throw InputError(fmt::format("{}: {}", file_of(d, stem), e.what()));
      }
    });
  };
  source_ = d.shared_vocabulary ? of("shared", {&training.source, &training.target})
                                : of("source", {&training.source});
  target_ = d.shared_vocabulary ? source_ : of("target", {&training.target});
  model_ = make(settings, {source_->size(), target_->size(), d.shared_vocabulary});
  training_ = data::encode_pairs(training, *source_, *target_, model_->positions());
  validation_ = data::encode_pairs(validation, *source_, *target_, model_->positions());
  held_out_ = static_cast<int64_t>(validation_.pairs.size());
  if (d.tokens.tokenizer == "subwords")
    fingerprint_ += "/" + data::fingerprint({source_.get(), target_.get()});
  if (d.validation_size > 0)
    validation_.pairs = data::spread(std::move(validation_.pairs), d.validation_size);
  if (d.subword_dropout > 0) {
    text_ = training;
    check_recut();
  }
  choose_parameters(*model_);
}

Tokenizers TranslationTask::tokenizers() const {
  if (source_ == target_) return {{"shared", source_}};
  return {{"source", source_}, {"target", target_}};
}

// Splits pair `row` anew, with BPE dropout. A pair that this makes too long for the model keeps its
// usual split.
data::Pair TranslationTask::recut(int64_t row, int64_t epoch, double dropout) const {
  const auto i = static_cast<size_t>(row), line = training_.lines[i];
  const auto cut = [&](const data::Tokenizer& tokenizer, const std::string& text, uint32_t side) {
    const RandomSite site{.seed = static_cast<uint64_t>(settings_.training.seed),
                          .site = 2 * static_cast<uint32_t>(row) + side,
                          .step = static_cast<uint32_t>(epoch),
                          .stream = data::cut_stream};
    return data::as_sentence(tokenizer.sample(text, dropout, site));
  };
  data::Pair pair{cut(*source_, text_.source[line], 0), cut(*target_, text_.target[line], 1)};
  const auto positions = static_cast<size_t>(model_->positions());
  return pair.source.size() > positions || pair.target.size() > positions + 1 ? training_.pairs[i]
                                                                              : pair;
}

// UsageError if the tokenizer has only one way to split, or if, with nothing dropped, some of the
// first sentences are not split as usual: a user's SentencePiece model may prepare text in its own
// way (nmt_nfkc, a space in front), which BPE dropout leaves out.
void TranslationTask::check_recut() const {
  constexpr size_t enough = 1000;
  const auto has_unknown = [](const data::Pair& p) {  // runs of unknown characters may differ
    return std::ranges::count(p.source, data::unk_id) + std::ranges::count(p.target, data::unk_id);
  };
  for (size_t i = 0; i < std::min(enough, training_.pairs.size()); ++i) {
    const data::Pair &usual = training_.pairs[i], cut = recut(static_cast<int64_t>(i), 0, 0);
    SLOPE_CHECK_AS(UsageError,
                   has_unknown(usual) || (cut.source == usual.source && cut.target == usual.target),
                   "subword_dropout: this subword model prepares text in a way of its own, which "
                   "dropout would leave out; let slope learn the subwords, or set it to 0");
  }
}

int64_t TranslationTask::epoch_length() const {
  const int64_t B = settings_.training.batch_size;
  return (static_cast<int64_t>(training_.pairs.size()) + B - 1) / B;
}

void TranslationTask::seek(int64_t position) {
  batches_ = std::make_unique<data::TrainingBatches>(
      training_.pairs,
      data::BatchOptions{.batch_size = settings_.training.batch_size,
                         .seed = static_cast<uint64_t>(settings_.training.seed)},
      position,
      text_.source.empty() ? data::TrainingBatches::Recut{} : [this](int64_t row, int64_t epoch) {
        const auto& d = settings_.data<ParallelTextSettings>();
        return recut(row, epoch, d.subword_dropout);
      });
}

Work TranslationTask::next() {
  if (!batches_) seek(0);
  const auto batch = std::make_shared<data::Batch>(batches_->next());
  const double smoothing = settings_.training.label_smoothing;
  return {.targets = batch->target_tokens,
          .tokens = batch->source_tokens + batch->target_tokens,
          .sequences = batch->size,
          .loss = [this, batch, smoothing](int64_t begin, int64_t end) {
            return model_->loss(part(batch->source, begin, end, batch->source_length),
                                part(batch->target, begin, end, batch->target_length), smoothing);
          }};
}

Evaluation TranslationTask::evaluate() {
  return evaluate_pairs(*model_, validation_.pairs, settings_.training.batch_size);
}

Evaluation evaluate_pairs(const models::TranslationModel& model,
                          const std::vector<data::Pair>& pairs, int64_t batch_size) {
  const NoGrad no_grad;
  Evaluation evaluation;
  for (const data::Rows& order : data::sorted_order(pairs, batch_size)) {
    end_if_interrupted();
    const data::Batch batch = data::make_batch(pairs, order);
    evaluation.loss_sum += model
                               .loss(part(batch.source, 0, batch.size, batch.source_length),
                                     part(batch.target, 0, batch.size, batch.target_length), 0)
                               .item();
    evaluation.targets += batch.target_tokens;
  }
  return evaluation;
}

std::string TranslationTask::summary() const {
  const auto skipped = [](const data::Pairs& data) {
    return data.skipped_empty + data.skipped_long
               ? fmt::format(" ({} empty and {} too long ones skipped)", data.skipped_empty,
                             data.skipped_long)
               : "";
  };
  const auto& d = settings_.data<ParallelTextSettings>();
  const std::string source_name = visible(d.source), target_name = visible(d.target);
  const auto left = static_cast<int64_t>(validation_.pairs.size());
  const std::string cut = validates_on(left < held_out_, std::to_string(left));
  const std::string& kind = d.tokens.tokenizer;
  const std::string tokens = d.shared_vocabulary
                                 ? fmt::format("{} {} shared", source_->size(), kind)
                                 : fmt::format("{} {} and {} {} {}", source_->size(), source_name,
                                               target_->size(), target_name, kind);
  const size_t pairs = training_.pairs.size();
  const Sentences source = measured(training_.pairs, &data::Pair::source),
                  target = measured(training_.pairs, &data::Pair::target);
  const auto warning = [&](const std::string& language, const Sentences& s) {
    return unknown_warning(language + " tokens", s.tokens.unknown_share(), settings_);
  };
  const auto validates = [&](const std::string& language, const data::Ids data::Pair::*side) {
    return unknown_measured(language + " validation tokens",
                            count_tokens(validation_.pairs, side).unknown_share());
  };
  return fmt::format(
      "{} training pairs{}, {} validation pairs{}{}; {}; {}\n"
      "per sentence: {}, {}{}{}{}{}",
      pairs, skipped(training_), held_out_, skipped(validation_), cut, tokens, parameter_count(),
      in_words(source_name, source, pairs), in_words(target_name, target, pairs),
      warning(source_name, source), warning(target_name, target),
      validates(source_name, &data::Pair::source), validates(target_name, &data::Pair::target));
}

std::vector<JsonField> TranslationTask::facts() const {
  const auto& d = settings_.data<ParallelTextSettings>();
  const auto share = [](const data::Pairs& data, const data::Ids data::Pair::*side) {
    return count_tokens(data.pairs, side).unknown_share();
  };
  return {{"unknown/" + d.source, share(training_, &data::Pair::source)},
          {"unknown/" + d.target, share(training_, &data::Pair::target)},
          {"validation_unknown/" + d.source, share(validation_, &data::Pair::source)},
          {"validation_unknown/" + d.target, share(validation_, &data::Pair::target)}};
}

}  // namespace slope::train
