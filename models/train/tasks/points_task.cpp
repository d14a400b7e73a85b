#include <slope/autograd/grad_mode.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/files/file_sink.h>
#include <slope/models/data/shuffle.h>
#include <slope/models/draw/boundary.h>
#include <slope/models/train/tasks/points_task.h>

#include <algorithm>

namespace slope::train {

PointsTask::PointsTask(const RunSettings& settings) : ModelTask(settings) {
  const auto& d = settings.data<MoonsSettings>();
  manual_seed(static_cast<uint64_t>(settings.training.seed));
  model_ = dynamic_cast<const models::PointsType&>(settings.type())
               .make(settings.config(), models::Weights::drawn);
  training_ = data::two_moons(d.points, d.noise);
  validation_ = data::two_moons(d.validation_points, d.noise);
  choose_parameters(*model_);
}

int64_t PointsTask::epoch_length() const {
  const int64_t B = settings_.training.batch_size;
  return (training_.points.size(0) + B - 1) / B;
}

// Each point once an epoch, in an order that depends on seed and epoch alone.
Work PointsTask::next() {
  const int64_t N = training_.points.size(0), B = settings_.training.batch_size;
  const int64_t epoch = position_ / epoch_length(), first = position_ % epoch_length() * B;
  ++position_;
  const std::vector<int64_t> order =
      data::permutation(N, {.seed = static_cast<uint64_t>(settings_.training.seed),
                            .step = static_cast<uint32_t>(epoch),
                            .stream = data::order_stream});
  const int64_t size = std::min(B, N - first);
  const Tensor batch = from_vector(
      std::vector<int64_t>(order.begin() + first, order.begin() + first + size), {size});
  const Tensor points = index_select(training_.points, 0, batch);  // (B, 2)
  const Tensor labels = index_select(training_.labels, 0, batch);  // (B, 1)
  return {.targets = size,
          .tokens = size,
          .sequences = size,
          .loss = [this, points, labels](int64_t begin, int64_t end) {
            return model_->loss(points.slice(0, begin, end), labels.slice(0, begin, end));
          }};
}

Evaluation PointsTask::evaluate() {
  const NoGrad no_grad;
  return {.loss_sum = model_->loss(validation_.points, validation_.labels).item(),
          .targets = validation_.points.size(0)};
}

std::string PointsTask::fingerprint() const {
  const auto& d = settings_.data<MoonsSettings>();
  return fmt::format("{:08x}",
                     crc32c(fmt::format("{} {} {}", d.points, d.validation_points, d.noise)));
}

// The model's decision boundary: its probability of label 1 on a grid around the training points,
// coarser for a large model, so that an interrupted run need not wait for its picture.
void PointsTask::save_more(const FolderSink& folder) const {
  const nn::EvalMode eval_mode;
  const NoGrad no_grad;
  draw::Boundary figure{
      .title = fmt::format("The two moons and the boundary of {}", settings_.type().name)};
  const std::vector<double> xy = training_.points.to_vector(),
                            labels = training_.labels.to_vector();
  for (size_t i = 0; i < labels.size(); ++i)
    figure.points.push_back({xy[2 * i], xy[2 * i + 1], labels[i] > 0.5});
  figure.fit();
  // at most a second on one core
  const int64_t most_points =
      (int64_t{1} << 31) / std::max<int64_t>(1, nn::count_parameters(model_->module()));
  for (; figure.rows > 2 && figure.rows * figure.columns > most_points; figure.rows /= 2)
    figure.columns /= 2;
  figure.probabilities =
      sigmoid(model_->logits(from_vector(figure.grid(), {figure.rows * figure.columns, 2})))
          .to_vector();
  write_file(folder.file("boundary.svg"), draw::to_svg(figure));
}

std::string PointsTask::summary() const {
  return fmt::format("{} training and {} validation points of the two moons; {}",
                     training_.points.size(0), validation_.points.size(0), parameter_count());
}

}  // namespace slope::train
