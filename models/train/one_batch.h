// A task of one batch: trains and validates on the first step's micro-batches again and again. A
// model that can learn at all learns them by heart.
#pragma once

#include <slope/autograd/grad_mode.h>
#include <slope/models/train/task.h>

#include <vector>

namespace slope::train {

class OneBatch final : public Task {
 public:
  OneBatch(Task& task, int64_t micro_batches) : task_(task) {
    task_.seek(0);
    const int64_t epoch = task_.epoch_length();
    const int64_t n = epoch > 0 ? std::min(epoch, micro_batches) : micro_batches;
    for (int64_t i = 0; i < n; ++i) works_.push_back(task_.next());
    pass_length_ = task_.pass_length();
  }

  const NamedTensors& parameters() const override { return task_.parameters(); }
  Tensors buffers() const override { return task_.buffers(); }
  std::optional<nn::ModuleRef> module() const override { return task_.module(); }
  void seek(int64_t position) override { position_ = position; }
  Work next() override { return works_[static_cast<size_t>(position_++) % works_.size()]; }
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override { return 0; }
  int64_t pass_length() const override { return pass_length_; }
  Evaluation evaluate() override {  // the training loss, but without dropout
    const NoGrad no_grad;
    Evaluation evaluation;
    for (const Work& work : works_) {
      evaluation.loss_sum += work.loss(0, work.sequences).item();
      evaluation.targets += work.targets;
    }
    return evaluation;
  }
  void save(const FolderSink& folder) const override { task_.save(folder); }
  void load_weights(const std::string& folder) override { task_.load_weights(folder); }
  std::string fingerprint() const override { return task_.fingerprint(); }
  std::vector<JsonField> facts() const override { return task_.facts(); }

 private:
  void switch_training(bool training) override { task_.set_training(training); }

  Task& task_;
  std::vector<Work> works_;
  int64_t position_ = 0, pass_length_ = 0;
};

}  // namespace slope::train
