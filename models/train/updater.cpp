#include <slope/autograd/grad_mode.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/models/train/optimizers.h>
#include <slope/models/train/updater.h>
#include <slope/optim/clip.h>
#include <slope/optim/ema.h>
#include <slope/optim/plateau.h>

#include <optional>
#include <utility>

namespace slope::train {

namespace {

constexpr const char* optimizer_prefix = "optimizer.";
// the weights themselves, if there is an average: model.safetensors then holds the average
constexpr const char* weight_prefix = "weight.";
constexpr const char* plateau_name = "plateau";

NamedTensors part_of(const NamedTensors& all, const std::string& prefix) {
  NamedTensors part;
  for (const auto& [name, tensor] : all)
    if (name.starts_with(prefix)) part.push_back({name.substr(prefix.size()), tensor});
  return part;
}

std::optional<optim::ReduceOnPlateau> plateau_of(const TrainSettings& t) {
  if (t.schedule != "plateau") return {};
  return optim::ReduceOnPlateau({.factor = t.gamma,
                                 .patience = t.plateau_patience,
                                 .threshold = t.plateau_threshold,
                                 .absolute = t.plateau_threshold_mode == "abs",
                                 .cooldown = t.plateau_cooldown,
                                 .least = t.lr > 0 ? t.lr_min / t.lr : 0});
}

// factor, best loss (nan: none yet), bad validations, validations left of the cooldown
Tensor to_tensor(const optim::PlateauState& s) {
  return tensor(
      {s.factor, s.best, static_cast<double>(s.bad_epochs), static_cast<double>(s.cooldown_left)},
      f64);
}
optim::PlateauState plateau_state(const Tensor& x, const std::string& file) {
  SLOPE_CHECK_INPUT(x.shape() == Dims{4} && x.dtype() == f64,
                    "{}: plateau is {} of shape {}, expected float64 of shape (4)", file,
                    slope::name(x.dtype()), x.shape());
  const std::vector<double> s = x.to_vector();
  const auto fits = [](double number) { return number >= 0 && number <= 1e15; };
  SLOPE_CHECK_INPUT(s[0] >= 0 && s[0] <= 1 && fits(s[2]) && fits(s[3]),
                    "{}: plateau has the factor {}, {} bad validations and {} left of the "
                    "cooldown; the factor must be from 0 to 1, the others from 0 to 1e15",
                    file, s[0], s[2], s[3]);
  return {s[0], s[1], static_cast<int64_t>(s[2]), static_cast<int64_t>(s[3])};
}

}  // namespace

struct Updater::Parts {
  Parts(const NamedTensors& parameters, const TrainSettings& t)
      : named(parameters), decay(t.average), swa_start(t.swa_start), swa_every(t.swa_every),
        plateau(plateau_of(t)) {
    for (const NamedTensor& p : named) tensors.push_back(p.tensor);
    if (t.optimizer == "lbfgs")
      lbfgs.emplace(named, lbfgs_options(t));
    else
      optimizers = make_optimizers(named, t);
    if (decay > 0) average.emplace(named, decay);
  }
  NamedTensors named;
  Tensors tensors;
  Optimizers optimizers;              // empty with lbfgs
  std::optional<optim::LBFGS> lbfgs;  // if that is the optimizer of the run
  std::optional<optim::Ema> average;  // of the weights; with swa_start it exists from that step on
  double decay;
  int64_t swa_start, swa_every;
  std::optional<optim::ReduceOnPlateau> plateau;

  NamedTensors optimizer_state() const {
    if (lbfgs) return lbfgs->state_dict();
    NamedTensors all;
    for (const auto& [optimizer, names] : optimizers)
      for (NamedTensor& entry : optimizer->state_dict()) all.push_back(std::move(entry));
    return all;
  }
  // after update number `t` (from 0)
  void take_average(int64_t t) {
    if (decay > 0) average->update(optim::rising_decay(decay, t));
    const int64_t after = t + 1 - swa_start;
    if (swa_start == 0 || after < 0 || after % swa_every != 0) return;
    if (after == 0)
      average.emplace(named, 0);  // it starts as the current weights, the first ones of the mean
    else
      average->update(optim::swa_decay(after / swa_every));
  }
};

Updater::Updater(const NamedTensors& parameters, const TrainSettings& settings)
    : parts_(std::make_unique<Parts>(parameters, settings)) {}

Updater::~Updater() = default;

double Updater::clip(double largest_norm) {
  const double norm = optim::grad_norm(parts_->tensors);
  for (const auto& [optimizer, names] : parts_->optimizers)
    optimizer->set_grad_factor(largest_norm > 0 ? optim::clip_factor(norm, largest_norm) : 1);
  return norm;
}

void Updater::step(double lr, int64_t t, double loss, const std::function<double()>& again) {
  if (auto& lbfgs = parts_->lbfgs) {
    lbfgs->set_lr_factor(lr);
    bool first = true;
    lbfgs->step([&] {
      if (std::exchange(first, false)) return loss;  // the caller has evaluated it
      lbfgs->zero_grad();
      return again();
    });
    lbfgs->zero_grad();
  }
  for (const auto& [optimizer, names] : parts_->optimizers) {
    optimizer->set_lr_factor(lr);  // the rate itself: the groups' own rate is 1
    optimizer->step();
    optimizer->zero_grad();
  }
  parts_->take_average(t);
}

double Updater::lr_factor() const { return parts_->plateau ? parts_->plateau->state().factor : 1; }

void Updater::validated(double loss) {
  if (parts_->plateau) parts_->plateau->step(loss);
}

void Updater::with_average(const std::function<void()>& f) {
  std::optional<optim::Averaged> averaged;
  if (parts_->average) averaged.emplace(*parts_->average);
  f();
}

void Updater::save(const FolderSink& sink, const Task& task) {
  NamedTensors state;
  for (const auto& [name, tensor] : parts_->optimizer_state())
    state.push_back({optimizer_prefix + name, tensor});
  if (parts_->average)
    for (const auto& [name, tensor] : parts_->named)
      state.push_back({weight_prefix + name, tensor});
  if (parts_->plateau) state.push_back({plateau_name, to_tensor(parts_->plateau->state())});
  save_safetensors(sink.file("state.safetensors"), state);
  with_average([&] { task.save(sink); });
}

void Updater::load(const std::string& folder, Task& task, int64_t updates) {
  task.load_weights(folder);  // before the rest is read, so that only one file is in memory
  const std::string file = folder + "/state.safetensors";
  const NamedTensors state = load_safetensors(file).tensors;
  try {
    const NamedTensors optimizer = part_of(state, optimizer_prefix);
    if (parts_->lbfgs)
      parts_->lbfgs->load_state_dict(optimizer);
    else
      load_state(parts_->optimizers, optimizer);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", file, e.what()));
  }
  // A checkpoint written under another schedule holds no tensor `plateau`.
  for (const auto& [name, tensor] : state)
    if (name == plateau_name && parts_->plateau)
      parts_->plateau->load_state(plateau_state(tensor, file));
  const NamedTensors weights = part_of(state, weight_prefix);
  const int64_t swa_start = parts_->swa_start;
  if (swa_start > 0 && (updates >= swa_start || !weights.empty()))
    parts_->average.emplace(parts_->named, 0);
  if (!parts_->average) return;
  parts_->average->load_averages(parts_->named);  // load_weights() has put them there
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
