#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/models/train/optimizers.h>
#include <slope/models/train/updater.h>
#include <slope/optim/clip.h>
#include <slope/optim/ema.h>

#include <optional>

namespace slope::train {

namespace {

constexpr const char* optimizer_prefix = "optimizer.";
// in addition to an average, which is what model.safetensors holds
constexpr const char* weight_prefix = "weight.";

NamedTensors part_of(const NamedTensors& all, const std::string& prefix) {
  NamedTensors part;
  for (const auto& [name, tensor] : all)
    if (name.starts_with(prefix)) part.push_back({name.substr(prefix.size()), tensor});
  return part;
}

}  // namespace

struct Updater::Parts {
  explicit Parts(const NamedTensors& parameters) : named(parameters) {}
  NamedTensors named;
  Tensors tensors;
  Optimizers optimizers;
  std::optional<optim::Ema> average;
  double decay = 0;  // of the average
};

Updater::Updater(const NamedTensors& parameters, const TrainSettings& settings)
    : parts_(std::make_unique<Parts>(parameters)) {
  for (const NamedTensor& p : parameters) parts_->tensors.push_back(p.tensor);
  parts_->optimizers = make_optimizers(parts_->named, settings);
  parts_->decay = settings.average;
  if (settings.average > 0) parts_->average.emplace(parts_->named, settings.average);
}

Updater::~Updater() = default;

double Updater::clip(double largest_norm) {
  const double norm = optim::grad_norm(parts_->tensors);
  for (const auto& [optimizer, names] : parts_->optimizers)
    optimizer->set_grad_factor(largest_norm > 0 ? optim::clip_factor(norm, largest_norm) : 1);
  return norm;
}

void Updater::step(double lr, int64_t t) {
  for (const auto& [optimizer, names] : parts_->optimizers) {
    optimizer->set_lr_factor(lr);  // the groups' own rate is 1
    optimizer->step();
    optimizer->zero_grad();
  }
  if (parts_->average) parts_->average->update(optim::rising_decay(parts_->decay, t));
}

void Updater::with_average(const std::function<void()>& f) {
  std::optional<optim::Averaged> averaged;
  if (parts_->average) averaged.emplace(*parts_->average);
  f();
}

void Updater::save(const FolderSink& sink, const Task& task) {
  NamedTensors state;
  for (const auto& [optimizer, names] : parts_->optimizers)
    for (const auto& [name, tensor] : optimizer->state_dict())
      state.push_back({optimizer_prefix + name, tensor});
  if (parts_->average)
    for (const auto& [name, tensor] : parts_->named)
      state.push_back({weight_prefix + name, tensor});
  save_safetensors(sink.file("state.safetensors"), state);
  with_average([&] { task.save(sink); });
}

void Updater::load(const std::string& folder, Task& task) {
  task.load_weights(folder);  // first: the memory of reading it is free again when the rest is read
  const std::string file = folder + "/state.safetensors";
  const NamedTensors state = load_safetensors(file).tensors;
  try {
    load_state(parts_->optimizers, part_of(state, optimizer_prefix));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", file, e.what()));
  }
  if (!parts_->average) return;
  parts_->average->load_averages(parts_->named);  // as loaded into the model
  const NamedTensors weights = part_of(state, weight_prefix);
  SLOPE_CHECK_INPUT(weights.size() == parts_->named.size(),
                    "{}: holds {} weights beside the average, the model has {}", file,
                    weights.size(), parts_->named.size());
  const NoGrad no_grad;
  std::vector<const Tensor*> found;
  for (const auto& [name, tensor] : parts_->named) {
    const auto at = std::find_if(weights.begin(), weights.end(),
                                 [&name = name](const auto& entry) { return entry.name == name; });
    SLOPE_CHECK_INPUT(at != weights.end() && at->tensor.shape() == tensor.shape(),
                      "{}: weight {} is missing or misshapen", file, name);
    found.push_back(&at->tensor);
  }
  for (size_t k = 0; k < found.size(); ++k) copy_into(*found[k], parts_->named[k].tensor);
}

}  // namespace slope::train
