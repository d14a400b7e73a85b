// Task: a model with its data, to be trained by a trainer. Each kind of model has its own, such as
// tasks/translation_task.h.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/core/tensor/named_tensor.h>
#include <slope/models/run/json.h>

#include <optional>

namespace slope::train {

// One micro-batch.
struct Work {
  int64_t targets = 0;    // tokens to be predicted
  int64_t tokens = 0;     // tokens read, for tokens/s
  int64_t sequences = 1;  // into which it can be cut: sentences, blocks of text
  // Runs the forward on sequences begin … end - 1: the loss summed over their targets.
  std::function<Tensor(int64_t begin, int64_t end)> loss;
};

struct Evaluation {
  double loss_sum = 0;
  int64_t targets = 0;
  double loss() const { return loss_sum / static_cast<double>(targets); }
};

class Task {
 public:
  virtual ~Task() = default;
  // tied ones once, in the model's order
  virtual const NamedTensors& parameters() const = 0;
  void set_training(bool training) {
    if (training_ == training) return;
    training_.reset();  // unknown while this may fail
    switch_training(training);
    training_ = training;
  }
  // the next micro-batch is number `position` since training began; 0 without a call
  virtual void seek(int64_t position) = 0;
  virtual Work next() = 0;
  virtual int64_t position() const = 0;  // micro-batches consumed
  // micro-batches of an epoch, which a step never straddles; 0: the data have no epochs
  virtual int64_t epoch_length() const = 0;
  // micro-batches that `epochs` counts: an epoch, or as many random ones as the data hold
  virtual int64_t pass_length() const { return epoch_length(); }
  // on the validation data, in evaluation mode, without gradients; Interrupted between batches
  virtual Evaluation evaluate() = 0;
  // model.safetensors, config.json, vocabularies
  virtual void save(const FolderSink& folder) const = 0;
  virtual void load_weights(const std::string& folder) = 0;
  // of the data, so that a resume with other data is refused
  virtual std::string fingerprint() const = 0;
  // of the data, with which the log begins: the shares of unknown tokens
  virtual std::vector<JsonField> facts() const { return {}; }

 private:
  virtual void switch_training(bool training) = 0;  // only set_training() switches the model
  std::optional<bool> training_;
};

}  // namespace slope::train
