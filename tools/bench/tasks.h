// Training steps on fixed batches: the trainer's own step on a model of the zoo.
#pragma once

#include <slope/models/train/step.h>
#include <slope/nn/module/state.h>
#include <slope/tools/bench/case.h>
#include <slope/tools/bench/traffic.h>

namespace slope::tools {

constexpr double with_backward = 3;  // the backward of a product is two products of its size

struct FixedBatch {
  Tensor input, target;
  int64_t targets = 0;  // how many the loss is summed over
  int64_t tokens = 0;
  double flops = 0;  // of one forward
};

using FixedLoss = std::function<Tensor(const FixedBatch& batch)>;  // summed over the targets

// Cycles through the batches. Nothing is evaluated or saved. The module belongs to the caller.
class FixedTask : public train::Task {
 public:
  FixedTask(nn::ModuleRef module, std::vector<FixedBatch> batches, FixedLoss loss)
      : module_(module), parameters_(nn::named_parameters(module)), batches_(std::move(batches)),
        loss_(std::move(loss)) {}
  const NamedTensors& parameters() const override { return parameters_; }
  void seek(int64_t position) override { position_ = position; }
  int64_t position() const override { return position_; }
  int64_t epoch_length() const override { return static_cast<int64_t>(batches_.size()); }
  const FixedBatch& batch(int64_t position) const {
    return batches_[static_cast<size_t>(position) % batches_.size()];
  }
  train::Work next() override {
    const FixedBatch& b = batch(position_++);
    const auto loss = [this, &b](int64_t begin, int64_t end) {
      if (end - begin == b.input.size(0)) return loss_(b);
      return loss_({.input = b.input.narrow(0, begin, end - begin),
                    .target = b.target.narrow(0, begin, end - begin)});
    };
    return {.targets = b.targets, .tokens = b.tokens, .sequences = b.input.size(0), .loss = loss};
  }
  train::Evaluation evaluate() override { return {}; }
  void save(const FolderSink&) const override {}
  void load_weights(const std::string&) override {}
  std::string fingerprint() const override { return ""; }

 private:
  void switch_training(bool training) override { nn::train(module_, training); }
  nn::ModuleRef module_;
  NamedTensors parameters_;
  std::vector<FixedBatch> batches_;
  FixedLoss loss_;
  int64_t position_ = 0;
};

// `model`: the module or its owner, which is kept as long as the training.
template <class Held>
class Training : public Workload {
 public:
  Training(Held model, nn::ModuleRef module, std::vector<FixedBatch> batches, FixedLoss loss,
           const train::TrainSettings& settings)
      : model_(std::move(model)), settings_(settings),
        task_(module, std::move(batches), std::move(loss)),
        updater_(task_.parameters(), settings_) {}

  Done run(int64_t steps) override {
    Done done;
    for (int64_t i = 0; i < steps; ++i) {
      done.flops += with_backward * task_.batch(task_.position()).flops;
      done.bytes += traffic::training(settings_, parameters());
      const train::StepResult r = train::take_step(task_, updater_, settings_, step_++, INT64_MAX);
      done.loss += r.loss_sum / static_cast<double>(r.targets) / static_cast<double>(steps);
      done.tokens += r.tokens;
    }
    return done;
  }
  int64_t parameters() const override {
    int64_t sum = 0;
    for (const NamedTensor& p : task_.parameters()) sum += p.tensor.numel();
    return sum;
  }
  int64_t batches() const override { return task_.epoch_length(); }

 private:
  Held model_;
  train::TrainSettings settings_;
  FixedTask task_;
  train::Updater updater_;
  int64_t step_ = 0;
};

}  // namespace slope::tools
