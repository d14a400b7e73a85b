#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/models/data/shuffle.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/tasks/document_task.h>
#include <slope/models/train/tasks/language_model_task.h>

namespace slope::train {

// A tokenizer made from documents has it.
static bool has_separator(const data::Tokenizer& tokenizer) {
  return tokenizer.knows(data::separator) &&
         tokenizer.decode(tokenizer.encode(data::separator)) == data::separator;
}

DocumentTask::DocumentTask(const RunSettings& settings, const std::string& text)
    : ModelTask(settings), fingerprint_(same_data(fmt::format("{:08x}", crc32c(text)))),
      tokenizer_(tokenizer(
          "source",
          [&] { return data::document_tokenizer(settings.tokenizer(), data::split_lines(text)); })),
      model_(make_language_model(settings, tokenizer_->size())) {
  const auto& d = settings.data<TextSettings>();
  if (d.tokens.tokenizer == "subwords") fingerprint_ += "/" + data::fingerprint({tokenizer_.get()});
  SLOPE_CHECK_AS(UsageError, has_separator(*tokenizer_),
                 "--documents lines: the vocabulary of {} has no line break, which separates them; "
                 "give --documents whole, or take another vocabulary",
                 settings.training.from.empty() ? "--subword-model " + d.tokens.subword_model
                                                : "--from " + settings.training.from);
  data::Documents all = data::encode_documents(data::split_lines(text), *tokenizer_);
  const auto n = static_cast<int64_t>(all.size());
  const auto cut = static_cast<int64_t>(static_cast<double>(n) * (1 - d.validation_share));
  SLOPE_CHECK_INPUT(cut >= 1 && cut < n,
                    "the text has {} documents, of which {} would be for training and {} for "
                    "validation; each needs at least 1",
                    n, cut, n - cut);
  const RandomSite site{static_cast<uint64_t>(settings.training.seed), 1, 0, data::order_stream};
  held_out_ = static_cast<size_t>(n - cut);
  int64_t characters = 0, i = 0;
  for (const int64_t k : data::permutation(n, site)) {
    std::vector<int64_t>& document = all[static_cast<size_t>(k)];
    if (i++ < cut) {
      training_.push_back(std::move(document));
    } else if (d.validation_size == 0 || validation_.empty() || characters < d.validation_size) {
      characters += static_cast<int64_t>(document.size()) - 1;
      validation_.push_back(std::move(document));
    }
  }
  choose_parameters(*model_);
}

int64_t DocumentTask::epoch_length() const {
  const int64_t B = settings_.training.batch_size;
  return (static_cast<int64_t>(training_.size()) + B - 1) / B;
}

Work DocumentTask::next() {
  const TrainSettings& t = settings_.training;
  const int64_t epoch = position_ / epoch_length(), batch = position_++ % epoch_length(),
                n = static_cast<int64_t>(training_.size());
  if (epoch != order_epoch_)
    order_ = data::permutation(
        n, {static_cast<uint64_t>(t.seed), 0, static_cast<uint32_t>(epoch), data::order_stream});
  order_epoch_ = epoch;
  const int64_t first = batch * t.batch_size;
  const auto which = std::span(order_).subspan(
      static_cast<size_t>(first), static_cast<size_t>(std::min(t.batch_size, n - first)));
  const auto blocks =
      std::make_shared<data::Blocks>(data::document_blocks(training_, which, model_->block_size()));
  const int64_t targets = data::count_targets(*blocks);
  return {.targets = targets,
          .tokens = targets,
          .sequences = blocks->rows,
          .loss = [this, blocks, smoothing = t.label_smoothing](int64_t begin, int64_t end) {
            return loss_of_blocks(*model_, *blocks, begin, end, smoothing);
          }};
}

Evaluation DocumentTask::evaluate() { return evaluate_documents(*model_, validation_); }

Evaluation evaluate_documents(const models::LanguageModel& model,
                              const data::Documents& documents) {
  constexpr int64_t at_once = 64;
  const NoGrad no_grad;
  std::vector<int64_t> which(documents.size());
  std::iota(which.begin(), which.end(), 0);
  Evaluation evaluation;
  for (size_t i = 0; i < which.size(); i += at_once) {
    end_if_interrupted();
    const data::Blocks blocks = data::document_blocks(
        documents, std::span(which).subspan(i, std::min<size_t>(at_once, which.size() - i)),
        model.block_size());
    evaluation.loss_sum += loss_of_blocks(model, blocks, 0, blocks.rows, 0).item();
    evaluation.targets += data::count_targets(blocks);
  }
  return evaluation;
}

std::string DocumentTask::summary() const {
  const std::string cut =
      validates_on(validation_.size() < held_out_, fmt::format("{} of them", validation_.size()));
  return fmt::format("{} training and {} validation documents{}, {} different {}; {}{}",
                     training_.size(), held_out_, cut, tokenizer_->size(),
                     settings_.data<TextSettings>().tokens.tokenizer, parameter_count(),
                     unknown_lines(unknown(training_), unknown(validation_), settings_));
}

UnknownShare DocumentTask::unknown(const data::Documents& documents) const {
  return unknown_share(count_tokens(documents), *tokenizer_);
}

}  // namespace slope::train
