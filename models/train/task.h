// Task: a model with its data, to be trained by a trainer. Each kind of model has its own, such as
// tasks/translation_task.h.
#pragma once

#include <slope/core/files/folder_sink.h>
#include <slope/core/tensor/named_tensor.h>
#include <slope/models/run/json.h>
#include <slope/nn/module/module_ref.h>

#include <optional>

namespace slope::train {

// One micro-batch.
struct Work {
  int64_t targets = 0;    // tokens to be predicted
  int64_t tokens = 0;     // tokens that are read, for the report of tokens per second
  int64_t sequences = 1;  // sentences or blocks of text, between which the batch can be cut
  // The loss of sequences begin, …, end - 1, summed over their targets.
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
  // In the model's order; a tied parameter once.
  virtual const NamedTensors& parameters() const = 0;
  // The tensors that a forward in training mode may change, such as running averages: a step that
  // is interrupted puts them back.
  virtual Tensors buffers() const { return {}; }
  virtual std::optional<nn::ModuleRef> module() const { return {}; }  // the model, if it is one
  bool set_training(bool training) {  // whether the mode was another
    if (training_ == training) return false;
    training_.reset();  // the mode is unknown if switching fails
    switch_training(training);
    training_ = training;
    return true;
  }
  // Makes `position` the number of the next micro-batch; it is 0 when training begins.
  virtual void seek(int64_t position) = 0;
  virtual Work next() = 0;
  virtual int64_t position() const = 0;  // micro-batches consumed
  // Micro-batches in an epoch; no optimizer step adds up those of two epochs. 0: the data have no
  // epochs.
  virtual int64_t epoch_length() const = 0;
  // How many micro-batches the setting `epochs` counts as one epoch: those of an epoch, or, without
  // epochs, as many as the data would fill.
  virtual int64_t pass_length() const { return epoch_length(); }
  // The loss on the validation data, in evaluation mode. Throws Interrupted between batches.
  virtual Evaluation evaluate() = 0;
  // Writes model.safetensors, config.json and the vocabularies.
  virtual void save(const FolderSink& folder) const = 0;
  virtual void load_weights(const std::string& folder) = 0;
  // Checksums of the data, so that a resume with other data is refused.
  virtual std::string fingerprint() const = 0;
  // What the first line of the log says of the data: the shares of unknown tokens.
  virtual std::vector<JsonField> facts() const { return {}; }

 private:
  virtual void switch_training(bool training) = 0;  // only set_training() switches the model
  std::optional<bool> training_;
};

}  // namespace slope::train
