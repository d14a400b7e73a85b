// ModelTask: what the tasks of all kinds share, which is a model of the zoo, its settings, and how
// both are saved and read back. A kind adds its data (translation_task.h, language_model_task.h,
// points_task.h).
#pragma once

#include <slope/models/run/checkpoint_files.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/train/task.h>
#include <slope/nn/nn.h>

namespace slope::train {

class ModelTask : public Task {
 public:
  const NamedTensors& parameters() const override { return parameters_; }
  Tensors buffers() const override { return buffers_; }
  std::optional<nn::ModuleRef> module() const override { return module_; }
  void save(const FolderSink& folder) const override;
  void load_weights(const std::string& folder) override;
  // InputError as in nn::load, or if the tokenizers are not those that the weights were saved with
  void start_from(const std::string& safetensors);
  // how much data, how many parameters; without a last line break
  virtual std::string summary() const = 0;

 protected:
  explicit ModelTask(const RunSettings& settings) : settings_(settings) {}
  // Chooses to train all of the derived class's model but what --freeze names: UsageError if a name
  // or pattern there fits no parameter, or if none is left to train.
  void choose_parameters(const models::Model& model);
  // The fingerprint of the data, before they are encoded: UsageError if they are not those of the
  // run that is resumed, whose tokenizer may not know them.
  std::string same_data(std::string fingerprint) const;
  // The tokenizer `stem` ("source") of the checkpoint settings.tokenizers_from, or what make()
  // gives if no checkpoint is named there.
  data::TokenizerPtr tokenizer(const std::string& stem,
                               const std::function<data::TokenizerPtr()>& make) const;
  virtual Tokenizers tokenizers() const { return {}; }
  virtual void save_more(const FolderSink&) const {}
  // " (validates on PART: --validation-size)" if that cuts the validation part
  static std::string validates_on(bool is_cut, const std::string& part);
  std::string parameter_count() const;  // "9038341 parameters, 1200 of them frozen"

  const RunSettings settings_;

 private:
  void switch_training(bool training) override { nn::train(*module_, training); }
  std::optional<nn::ModuleRef> module_;
  NamedTensors parameters_;
  Tensors buffers_;
  int64_t frozen_ = 0;  // elements
};

// The task that the settings describe, with its data read. `corpus` returns the bundled corpus's
// folder; called if the settings name no text.
std::unique_ptr<ModelTask> make_task(const RunSettings& settings,
                                     const std::function<std::string()>& corpus);

}  // namespace slope::train
