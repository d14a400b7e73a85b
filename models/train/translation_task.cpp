#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/models/train/rows.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/translation_task.h>

namespace slope::train {

namespace {

data::Vocab vocabulary(const std::vector<std::string>& lines, const RunSettings& settings) {
  return data::Vocab::from_counts(data::count_words(lines), data::Specials::sentence,
                                  settings.data<ParallelTextSettings>().min_freq);
}

std::string checksum(const data::ParallelText& text) {
  uint32_t crc = 0;
  for (const auto* side : {&text.source, &text.target})
    for (const std::string& line : *side) crc = crc32c(line + "\n", crc);
  return fmt::format("{:08x}", crc);
}

std::unique_ptr<models::TranslationModel> make(const RunSettings& settings,
                                               const data::Vocab& source,
                                               const data::Vocab& target) {
  manual_seed(static_cast<uint64_t>(settings.training.seed));
  return dynamic_cast<const models::TranslationType&>(settings.type())
      .make(settings.config(), source.size(), target.size(), models::Weights::drawn);
}

// Sentences begin … end - 1 of a padded batch: (B, T)
Tensor part(const std::vector<int64_t>& sentences, int64_t begin, int64_t end, int64_t length) {
  return rows(sentences, begin, end, length);
}

}  // namespace

TranslationTask::TranslationTask(const RunSettings& settings, const data::ParallelText& training,
                                 const data::ParallelText& validation)
    : ModelTask(settings), source_(vocabulary(training.source, settings)),
      target_(vocabulary(training.target, settings)), model_(make(settings, source_, target_)),
      training_(data::encode_pairs(training, source_, target_, model_->positions())),
      validation_(data::encode_pairs(validation, source_, target_, model_->positions())),
      held_out_(static_cast<int64_t>(validation_.pairs.size())),
      fingerprint_(checksum(training) + checksum(validation)) {
  if (const int64_t most = settings.data<ParallelTextSettings>().validation_size; most > 0)
    validation_.pairs = data::spread(std::move(validation_.pairs), most);
  trains(*model_);
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
      position);
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
  const auto validates_on = static_cast<int64_t>(validation_.pairs.size());
  const std::string cut = validates_on < held_out_
                              ? fmt::format(" (validates on {}: --validation-size)", validates_on)
                              : "";
  return fmt::format("{} training pairs{}, {} validation pairs{}{}; {} {} and {} {} words; {}",
                     training_.pairs.size(), skipped(training_), held_out_, skipped(validation_),
                     cut, source_.size(), d.source, target_.size(), d.target, parameter_count());
}

}  // namespace slope::train
