#include <slope/autograd/backward.h>
#include <slope/autograd/observers/profile.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/models/train/divergence.h>
#include <slope/models/train/gradient_tree.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/step.h>
#include <slope/nn/module/mode.h>
#include <slope/nn/module/state.h>
#include <slope/nn/module/unlisted.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace slope::train {

namespace {

constexpr uint16_t dropout_stream = 1;

// The number of pieces in which a micro-batch is run.
int64_t pieces_of(const Work& work, const TrainSettings& t) {
  if (t.piece_tokens == 0) return 1;
  return std::max<int64_t>(
      1, std::min((work.tokens + t.piece_tokens - 1) / t.piece_tokens, work.sequences));
}

// A member that SLOPE_MODULE does not list would be neither trained nor saved, nor put into
// evaluation mode.
void refuse_unlisted(const Task& task, const Tensor& loss, const nn::ModeWatch& watch) {
  const auto refuse = [](const std::vector<std::string>& found, const char* place,
                         const char* remedy) {
    SLOPE_CHECK_AS(UsageError, found.empty(),
                   "{} of the parameters that the loss depends on {} not listed{}, so {} would be "
                   "neither trained nor saved: {}; {}",
                   found.size(), found.size() == 1 ? "is" : "are", place,
                   found.size() == 1 ? "it" : "they", fmt::join(found, "; "), remedy);
  };
  const std::vector<std::string> left = nn::unlisted_parameters(task.parameters(), loss);
  std::vector<std::string> hidden = left;
  if (!left.empty() && task.module()) {
    NamedTensors all = nn::named_parameters(*task.module());
    all.insert(all.end(), task.parameters().begin(), task.parameters().end());
    hidden = nn::unlisted_parameters(all, loss);
  }
  refuse(hidden, "", "name the member in SLOPE_MODULE, or detach() it");
  refuse(left, " in Task::parameters()",
         "list them there, or freeze them: set_requires_grad(false)");
  if (!task.module()) return;
  const std::vector<std::string> modules = watch.unlisted(*task.module());
  SLOPE_CHECK_AS(UsageError, modules.empty(),
                 "not listed, so in training mode in evaluation too: {}; name the member in "
                 "SLOPE_MODULE, or call the function, such as dropout(x, p, training())",
                 fmt::join(modules, "; "));
}

}  // namespace

bool is_logged(const TrainSettings& t, int64_t step, int64_t total) {
  return step % t.log_every == 0 || step == total;
}

double rate_of(const TrainSettings& t, const Updater& updater, int64_t step, int64_t total) {
  return learning_rate(t, step, total) * updater.lr_factor();
}

bool at_epoch_end(const Task& task) {
  return task.epoch_length() > 0 && task.position() % task.epoch_length() == 0;
}

int64_t steps_per_epoch(const Task& task, const TrainSettings& t) {
  return (task.pass_length() + t.accumulate - 1) / t.accumulate;
}

bool has_epochs(const Task& task, const TrainSettings& t) {
  return !t.overfit_batch && task.pass_length() > 0;
}

std::optional<double> epochs_done(const Task& task, const TrainSettings& t, int64_t step,
                                  int64_t position) {
  if (!has_epochs(task, t)) return std::nullopt;
  return task.epoch_length() > 0
             ? static_cast<double>(position) / static_cast<double>(task.epoch_length())
             : static_cast<double>(step) / static_cast<double>(steps_per_epoch(task, t));
}

namespace {

// Returns the loss of the micro-batches `works`, summed over their `targets`, and sets the
// gradients of the mean loss. Every call uses the same random numbers. `checks`: look for unlisted
// members.
double evaluate(const Task& task, const std::vector<Work>& works, int64_t targets,
                const TrainSettings& t, int64_t step, bool checks) {
  double loss_sum = 0;
  GradientTree tree;
  for (size_t k = 0; k < works.size(); ++k) {
    generator() = {.seed = static_cast<uint64_t>(t.seed),
                   .step = static_cast<uint32_t>(step),
                   .stream = dropout_stream,
                   .micro_batch = static_cast<uint16_t>(k)};
    const int64_t n = works[k].sequences, pieces = pieces_of(works[k], t);
    for (int64_t i = 0; i < pieces; ++i) {
      end_if_interrupted();
      const bool asks = checks && i == 0;
      std::optional<nn::ModeWatch> watch;
      if (asks) watch.emplace();
      const Tensor loss = works[k].loss(n * i / pieces, n * (i + 1) / pieces);
      if (asks) refuse_unlisted(task, loss, *watch);
      loss_sum += loss.item();
      // the gradient of the mean over all targets of the step
      BackwardSteps pass({loss}, {full_like(loss, 1.0 / static_cast<double>(targets))});
      while (pass.next()) end_if_interrupted();
      if (!std::isfinite(loss.item())) return loss.item();
    }
    if (works.size() > 1) tree.push(task.parameters());
  }
  if (works.size() > 1) tree.finish(task.parameters());
  return loss_sum;
}

StepResult whole_step(Task& task, Updater& updater, const TrainSettings& t, int64_t step,
                      int64_t total) {
  std::vector<Work> works;
  StepResult result{.lr = rate_of(t, updater, step + 1, total)};
  const Moment now{.step = step + 1, .lr = result.lr, .updates = step};
  do {
    works.push_back(task.next());
    result.targets += works.back().targets;
    result.tokens += works.back().tokens;
  } while (static_cast<int64_t>(works.size()) < t.accumulate && !at_epoch_end(task));
  SLOPE_CHECK_INPUT(result.targets > 0, "step {}: the batch has nothing to predict", step + 1);

  Profile::mark("batch");
  // A later step may use what the first did not. One step of ten costs no time that can be
  // measured: another one in each ten, so that losses that alternate are all seen.
  const bool checks = task.set_training(true) || step % 10 == step / 10 % 10;
  result.loss_sum = evaluate(task, works, result.targets, t, step, checks);
  if (!std::isfinite(result.loss_sum))
    refuse_not_finite(task, t, now, not_finite("loss", result.loss_sum));
  result.gradient_norm = updater.clip(t.clip);
  Profile::mark("clip");
  if (!std::isfinite(result.gradient_norm))
    refuse_not_finite(task, t, now, not_finite("gradient's norm", result.gradient_norm));
  if (t.log_norms && is_logged(t, step + 1, total)) result.layers = layer_norms(task.parameters());
  const auto mean = [&](double sum) { return sum / static_cast<double>(result.targets); };
  updater.step(result.lr, step, mean(result.loss_sum), [&] {
    const double sum = evaluate(task, works, result.targets, t, step, false);
    return std::isfinite(sum) ? mean(sum) : HUGE_VAL;  // too far: the line search turns back
  });
  Profile::mark("optimizer");
  return result;
}

}  // namespace

StepResult take_step(Task& task, Updater& updater, const TrainSettings& t, int64_t step,
                     int64_t total) {
  const Tensors buffers = task.buffers();
  Tensors before;
  for (const Tensor& b : buffers) before.push_back(contiguous_copy(b));
  try {
    return whole_step(task, updater, t, step, total);
  } catch (...) {
    copy_each(before, buffers);
    throw;
  }
}

}  // namespace slope::train
