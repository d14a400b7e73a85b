// The training loop: steps, validations, the log, and the effects of signals and resumes on them.
#include <slope/autograd/grad_mode.h>
#include <slope/core/files/append_log.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/product/autocast.h>
#include <slope/core/product/bf16_unit.h>
#include <slope/core/product/blas.h>
#include <slope/models/run/precision.h>
#include <slope/models/run/run_start.h>
#include <slope/models/run/saved_together.h>
#include <slope/models/run/settings.h>
#include <slope/models/train/checkpoints.h>
#include <slope/models/train/divergence.h>
#include <slope/models/train/one_batch.h>
#include <slope/models/train/report/costs.h>
#include <slope/models/train/report/progress.h>
#include <slope/models/train/report/run_log.h>
#include <slope/models/train/sameness.h>
#include <slope/models/train/signals.h>
#include <slope/models/train/step.h>
#include <slope/models/train/trainer.h>
#include <slope/nn/module/at_each_module.h>

#include <chrono>
#include <cmath>

namespace slope::train {

namespace {

std::string numerics(DType precision) {
  return fmt::format("{}, {}{}", blas_description(), name(cpu_isa()),
                     precision == bf16 ? fmt::format(", {}", name(bf16_unit())) : "");
}

int64_t total_steps(const Task& task, const TrainSettings& t) {
  const int64_t total = t.steps > 0 ? t.steps : t.epochs * steps_per_epoch(task, t);
  check_settings(t, total);
  SLOPE_CHECK_AS(UsageError, total > 0,
                 "train: neither --steps nor --epochs says how long to train; give one of them");
  return total;
}

class Run {
 public:
  Run(Task& task, const TrainSettings& settings, const Settings& all, const RunOptions& options,
      RunStart& start)
      : task_(task), t_(settings), all_(all), options_(options), start_(start),
        updater_(task.parameters(), settings), progress_(options.quiet) {
    state_.best_loss = no_loss;
    state_.settings = to_json(all);
  }

  RunResult execute() {
    total_ = total_steps(task_, t_);
    const std::string& point = start_.point();
    const bool resumes = !point.empty();
    state_.fingerprint = task_.fingerprint();
    state_.numerics = numerics(autocast_dtype());
    if (const std::string& note = bf16_choice().note; autocast_dtype() == bf16 && !note.empty())
      progress_.message(note);
    has_checkpoint_ = resumes;
    if (resumes) restore(point);
    if (start_.earlier_start()) {
      progress_.message(fmt::format(
          "{} holds no checkpoint: the run starts anew, with its settings", options_.folder));
      check_same(*start_.earlier_start());
    }
    start_.keep(state_, total_);
    for (const std::string& failure : start_.staying())
      progress_.message(failure + "; it stays, and training goes on");
    const SignalGuard signals;
    const nn::AtEachModule between(end_if_interrupted);
    AppendLog log(path("log.jsonl"), &start_.lock());
    if (resumes && log.bytes() < state_.log_bytes)
      progress_.message(fmt::format("{} is shorter than at step {}: steps before are missing in it",
                                    path("log.jsonl"), state_.step));
    log.cut_back(resumes ? std::min(state_.log_bytes, log.bytes()) : 0);
    RunLog run_log(log, task_.facts(), t_.tensorboard ? path("tensorboard") : "",
                   [this](const std::string& line) { progress_.message(line); });
    log_ = &run_log;
    const Checkpoints checkpoints(options_.folder, start_.lock(), log,
                                  [this](const std::string& line) { progress_.message(line); });
    checkpoints_ = &checkpoints;
    if (resumes) checkpoints.finish_save(point, state_.best_step);
    task_.seek(state_.position);
    try {
      loop();
    } catch (const NumericError& e) {
      throw NumericError(fmt::format("{}{}", e.what(),
                                     has_checkpoint_
                                         ? "; the last good checkpoint is " + path("last")
                                         : "; there is no checkpoint yet"));
    }
    return {state_.step, state_.best_loss, state_.best_step, said_complete_,
            complete() ? 0 : SignalGuard::received()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double no_loss = 1e300;

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::string path(const std::string& name) const { return options_.folder + "/" + name; }

  void loop() {
    bool saved = true;  // the current state is in a checkpoint
    try {
      while (!complete() && !SignalGuard::received()) {
        if (!state_.validation_due) {
          step();
          saved = false;
          state_.validation_due = validates();
        }
        if (state_.validation_due) {
          validate();
          saved = true;
        } else if (t_.save_every > 0 && state_.step % t_.save_every == 0) {
          save(false);
          saved = true;
        }
      }
    } catch (const Interrupted&) {  // what was not finished is repeated after a resume
      for (const NamedTensor& p : task_.parameters()) p.tensor.set_grad({});
      task_.seek(state_.position);
    }
    if (!saved) save(false);
    if (!complete())
      progress_.message(
          state_.step == 0 ? "interrupted before the first step"
                           : fmt::format("interrupted: step {} is saved in {}; go on with --resume",
                                         state_.step, options_.folder));
    else if (is_stopped_early(state_) && !said_complete_)
      progress_.message(
          fmt::format("stopped early: no better validation loss since step {}", state_.best_step));
  }
  // whether the run is done: a later signal has nothing left to interrupt
  bool complete() const { return is_complete(state_); }
  bool is_complete(const RunState& state) const {
    return !state.validation_due && (state.step >= total_ || is_stopped_early(state));
  }
  bool is_stopped_early(const RunState& state) const {
    return t_.patience > 0 && state.stale >= t_.patience;
  }

  // whether a validation follows the current step
  bool validates() const {
    return state_.step == total_ ||
           (t_.validate_every > 0 ? state_.step % t_.validate_every == 0 : at_epoch_end(task_));
  }

  Moment now() const {  // after the current step
    return {state_.step, rate_of(t_, updater_, state_.step, total_), state_.step};
  }

  void step() {
    const auto start = Clock::now();
    const StepResult result = take_step(task_, updater_, t_, state_.step, total_);
    state_.position = task_.position();
    ++state_.step;
    costs_.add_step(seconds_since(start), result.tokens);
    report(result);
    costs_.report(total_ - state_.step, has_epochs(task_, t_) ? steps_per_epoch(task_, t_) : 0);
  }

  void report(const StepResult& r) {
    state_.window_loss += r.loss_sum;
    state_.window_targets += r.targets;
    const bool line = is_logged(t_, state_.step, total_);
    const double loss = state_.window_loss / static_cast<double>(state_.window_targets);
    const std::optional<double> epoch = epochs_done(task_, t_, state_.step, state_.position);
    progress_.update({.step = state_.step,
                      .total = total_,
                      .epoch = epoch,
                      .loss = loss,
                      .lr = r.lr,
                      .tokens_per_second = costs_.tokens_per_second()},
                     line);
    if (!line) return;
    std::vector<JsonField> fields = {{"loss", loss},
                                     {"lr", r.lr},
                                     {"gradient_norm", r.gradient_norm},
                                     {"tokens_per_second", std::round(costs_.tokens_per_second())}};
    if (epoch) fields.insert(fields.begin(), {"epoch", *epoch});
    log_->append(state_.step, fields);
    log_->append_norms(state_.step, r.layers);
    state_.window_loss = 0;
    state_.window_targets = 0;
  }

  void validate() {
    const auto start = Clock::now();
    Evaluation evaluation;
    updater_.with_average([&] {
      task_.set_training(false);
      const NoGrad no_grad;
      evaluation = task_.evaluate();
    });
    SLOPE_CHECK_INPUT(evaluation.targets > 0, "step {}: validation has nothing to predict",
                      state_.step);
    const double loss = evaluation.loss();
    if (!std::isfinite(loss))
      refuse_not_finite(task_, t_, now(), not_finite("validation loss", loss));
    updater_.validated(loss);
    state_.validation_due = false;
    const bool better = loss < state_.best_loss;
    if (better) {
      state_.best_loss = loss;
      state_.best_step = state_.step;
      state_.stale = 0;
    } else {
      ++state_.stale;
    }
    log_->append(state_.step,
                 {{"validation_loss", loss}, {"validation_ppl", std::exp(loss)}, {"best", better}});
    progress_.message(fmt::format("step {}/{}  validation loss {:.4f}  perplexity {:.3f}{}",
                                  state_.step, total_, loss, std::exp(loss),
                                  better ? "  (best)" : ""));
    costs_.report_validation(seconds_since(start));
    save(better);
  }

  void save(bool best) {
    const nn::AtEachModule whole(nullptr);  // no interruption, even if a picture runs the model
    check_weights(task_, t_, now());
    checkpoints_->save(state_, updater_, task_, best);
    has_checkpoint_ = true;
  }

  void check_same(const RunState& before) {
    check_same_settings(before, all_, options_.values_before, options_.folder);
    check_same_data(before.fingerprint, state_.fingerprint, options_.folder);
    const std::string changed = changed_settings(before, all_, options_.values_before);
    if (changed.empty()) return;
    said_complete_ = is_complete(before);
    progress_.message(said_complete_ ? why_complete(before) + "; " +
                                           kept_settings(before, all_, options_.values_before)
                                     : "resumed with other settings: " + changed);
  }

  std::string why_complete(const RunState& state) const {
    return state.step >= total_
               ? fmt::format("no step is left up to step {}: the run is at step {}", total_,
                             state.step)
               : fmt::format(
                     "with patience {} no step is left: no better validation loss since "
                     "step {}",
                     t_.patience, state.best_step);
  }

  void restore(const std::string& point) {
    const std::string folder = path(point);
    const RunState read = RunState::read(folder + "/state.json");
    check_same(read);
    if (read.numerics != state_.numerics)
      progress_.message(
          fmt::format("note: the run was made with {}, this machine uses {}: the bits will differ",
                      read.numerics, state_.numerics));
    updater_.load(folder, task_, read.step);  // first: it names the tensor that does not fit
    check_files(read, folder);
    const RunState now = state_;
    state_ = read;
    state_.numerics = now.numerics;
    state_.settings = now.settings;
  }

  Task& task_;
  const TrainSettings& t_;
  const Settings& all_;  // the model's, the data's and the training's
  const RunOptions& options_;
  RunStart& start_;
  Updater updater_;
  Progress progress_;
  Costs costs_{progress_};
  RunLog* log_ = nullptr;
  const Checkpoints* checkpoints_ = nullptr;
  RunState state_;
  int64_t total_ = 0;
  bool has_checkpoint_ = false, said_complete_ = false;
};

}  // namespace

static RunResult train(Task& task, const TrainSettings& settings, const Settings& all,
                       const RunOptions& options, RunStart& start) {
  const Autocast products(precision_named(settings.precision));
  if (!settings.overfit_batch) return Run(task, settings, all, options, start).execute();
  OneBatch one(task, settings.accumulate);
  return Run(one, settings, all, options, start).execute();
}

void check_training(const Task& task, const TrainSettings& settings) {
  total_steps(task, settings);
  const Updater made(task.parameters(), settings);
}

RunResult train(Task& task, const TrainSettings& settings, const Settings& all,
                const RunOptions& options) {
  try_threads();  // a system that refuses them does so now, not when steps would be lost
  RunStart start(options.folder, options.resume, to_json(all));
  return train(task, settings, all, options, start);
}

RunResult train(const MakeTask& make, const TrainSettings& settings, const Settings& all,
                const RunOptions& options) {
  try_threads();  // a system that refuses them does so now, not when steps would be lost
  RunStart start(options.folder, options.resume, to_json(all));
  // a task reads the checkpoint's vocabularies, as the settings say
  if (const std::string& point = start.point(); !point.empty())
    check_same_settings(RunState::read(options.folder + "/" + point + "/state.json"), all,
                        options.values_before, options.folder);
  const std::unique_ptr<Task> task = make();
  return train(*task, settings, all, options, start);
}

}  // namespace slope::train
