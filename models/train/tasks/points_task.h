// Trains a classifier of points on the two moons, drawn from the run's seed.
#pragma once

#include <slope/models/data/two_moons.h>
#include <slope/models/kinds/points.h>
#include <slope/models/train/tasks/model_task.h>

namespace slope::train {

class PointsTask : public ModelTask {
 public:
  explicit PointsTask(const RunSettings& settings);

  void seek(int64_t position) override { position_ = position; }
  Work next() override;
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override;
  Evaluation evaluate() override;
  std::string fingerprint() const override;
  std::string summary() const override;

 private:
  void save_more(const FolderSink& folder) const override;  // boundary.svg

  std::unique_ptr<models::PointsModel> model_;
  data::TwoMoons training_, validation_;
  int64_t position_ = 0;
};

}  // namespace slope::train
