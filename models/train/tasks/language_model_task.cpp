#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/models/data/blocks.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/tasks/language_model_task.h>
#include <slope/models/train/tasks/rows.h>

namespace slope::train {

std::unique_ptr<models::LanguageModel> make_language_model(const RunSettings& settings,
                                                           int64_t vocab_size) {
  manual_seed(static_cast<uint64_t>(settings.training.seed));
  return dynamic_cast<const models::LanguageModelType&>(settings.type())
      .make(settings.config(), std::max<int64_t>(1, vocab_size), models::Weights::drawn);
}

Tensor loss_of_blocks(const models::LanguageModel& model, const data::Blocks& blocks, int64_t begin,
                      int64_t end, double label_smoothing) {
  return model.loss(rows(blocks.inputs, begin, end, blocks.length),
                    rows(blocks.targets, begin, end, blocks.length), label_smoothing);
}

LanguageModelTask::LanguageModelTask(const RunSettings& settings, const std::string& text)
    : ModelTask(settings), fingerprint_(same_data(fmt::format("{:08x}", crc32c(text)))) {
  const std::vector<std::string> whole = {text};
  tokenizer_ =
      tokenizer("source", [&] { return data::make_tokenizer(settings.tokenizer(), {&whole}); });
  text_ = std::move(tokenizer_->encode_lines(whole)[0]);
  model_ = make_language_model(settings, tokenizer_->size());
  if (kind() == "subwords") fingerprint_ += "/" + data::fingerprint({tokenizer_.get()});
  const double share = settings.data<TextSettings>().validation_share;
  cut_ = static_cast<size_t>(static_cast<double>(text_.size()) * (1 - share));
  SLOPE_CHECK_INPUT(static_cast<int64_t>(training().size()) > model_->block_size(),
                    "the training part of the text has {} {}, it needs more than block_size {}",
                    training().size(), kind(), model_->block_size());
  SLOPE_CHECK_INPUT(validation().size() >= 2,
                    "the validation part of the text has {} {}, it needs at least 2",
                    validation().size(), kind());
  const int64_t most = settings.data<TextSettings>().validation_size;
  held_out_ = validation().size();
  if (most > 0 && validation().size() > static_cast<size_t>(most) + 1)
    text_.resize(cut_ + static_cast<size_t>(most) + 1);  // the last one is a target only
  choose_parameters(*model_);
}

Work LanguageModelTask::next() {
  const TrainSettings& t = settings_.training;
  const auto blocks = std::make_shared<data::Blocks>(data::random_blocks(
      training(), t.batch_size, model_->block_size(), static_cast<uint64_t>(t.seed), position_++));
  const int64_t targets = blocks->rows * blocks->length;
  return {.targets = targets,
          .tokens = targets,
          .sequences = blocks->rows,
          .loss = [this, blocks, smoothing = t.label_smoothing](int64_t begin, int64_t end) {
            return loss_of_blocks(*model_, *blocks, begin, end, smoothing);
          }};
}

int64_t LanguageModelTask::pass_length() const {
  const int64_t batch = settings_.training.batch_size * model_->block_size();
  return (static_cast<int64_t>(training().size()) + batch - 1) / batch;
}

Evaluation LanguageModelTask::evaluate() {
  return evaluate_text(*model_, validation(), settings_.training.batch_size);
}

Evaluation evaluate_text(const models::LanguageModel& model, std::span<const int64_t> text,
                         int64_t batch_size) {
  const NoGrad no_grad;
  Evaluation evaluation;
  for (const data::Blocks& blocks : data::evaluation_blocks(text, batch_size, model.block_size())) {
    end_if_interrupted();
    evaluation.loss_sum += loss_of_blocks(model, blocks, 0, blocks.rows, 0).item();
    evaluation.targets += blocks.rows * blocks.length;
  }
  return evaluation;
}

std::string LanguageModelTask::summary() const {
  const std::string cut = validates_on(validation().size() < held_out_,
                                       fmt::format("the first {}", validation().size() - 1));
  return fmt::format("{} training and {} validation {}{}, {} different ones; {}{}",
                     training().size(), held_out_, kind(), cut, tokenizer_->size(),
                     parameter_count(),
                     unknown_lines(unknown(training()), unknown(validation()), settings_));
}

UnknownShare LanguageModelTask::unknown(std::span<const int64_t> part) const {
  return unknown_share(count_tokens(part), *tokenizer_);
}

}  // namespace slope::train
