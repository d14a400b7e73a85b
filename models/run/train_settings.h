// The settings of every training run: length, batches, optimizer, schedule, when to validate and
// save.
#pragma once

#include <slope/models/config.h>

#include <set>

namespace slope::train {

// Functions, because a table of strings would take memory before main(), where no error is caught.
inline std::vector<std::string> optimizer_names() {
  return {"adadelta", "adafactor", "adagrad", "adam",  "adamax",  "adamw", "asgd", "lbfgs",
          "lion",     "muon",      "nadam",   "radam", "rmsprop", "rprop", "sgd"};
}
inline std::vector<std::string> schedule_names() {
  return {"constant",  "cosine", "cosine_restarts", "exponential", "inverse_sqrt", "linear",
          "multistep", "noam",   "one_cycle",       "plateau",     "polynomial",   "sequential",
          "step",      "wsd"};
}
std::vector<std::string> without(std::vector<std::string> names, const std::set<std::string>& some);

struct TrainSettings {
  int64_t epochs = 10;            // passes over the data; 0: `steps` decides
  int64_t steps = 0;              // optimizer steps; 0: `epochs` decides
  int64_t batch_size = 128;       // sequences of one micro-batch
  int64_t accumulate = 1;         // micro-batches of one step
  std::string precision = "f32";  // of matrix products; bf16 rounds their operands
  int64_t piece_tokens = 4096;    // a micro-batch of more tokens runs in pieces; 0: whole
  std::string optimizer = "adam";
  double lr = 5e-4;
  double beta1 = 0.9, beta2 = 0.999, adam_eps = 1e-8;
  bool amsgrad = false;
  double momentum = 0;
  bool nesterov = false;
  double momentum_decay = 4e-3;  // of nadam
  double alpha = 0.99;           // of rmsprop
  bool centered = false;
  double lr_decay = 0, initial_accumulator_value = 0;  // of adagrad
  double beta2_decay = -0.8;                           // of adafactor
  double rho = 0.9, adadelta_eps = 1e-6;
  double lambd = 1e-4, asgd_alpha = 0.75, t0 = 1e6;
  double eta_minus = 0.5, eta_plus = 1.2, min_step_size = 1e-6, max_step_size = 50;  // of rprop
  int64_t max_iter = 20, history_size = 100;                                         // of lbfgs
  std::string line_search_fn = "strong_wolfe";
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  double muon_momentum = 0.95;
  std::string muon_adjust_lr = "match_rms_adamw";
  double weight_decay = 0;  // on tensors of two or more dims
  std::string schedule = "constant";
  int64_t warmup = 0;  // steps of linear rise from 0 to lr
  double lr_min = 0;   // lowest rate, of the schedules that have one
  int64_t step_size = 1000;
  std::string milestones = "1000";
  double gamma = 0.1, power = 1;
  int64_t restart_steps = 1000, restart_factor = 1;
  double rise_share = 0.3, div_factor = 25, final_div_factor = 1e4;  // of one_cycle
  int64_t noam_d_model = 512;
  double decay_share = 0.1;  // of wsd
  int64_t plateau_patience = 10, plateau_cooldown = 0;
  double plateau_threshold = 1e-4;
  std::string plateau_threshold_mode = "rel";
  std::string schedules = "constant,cosine";  // of sequential
  double clip = 1;                            // largest norm of the whole gradient; 0: none
  double label_smoothing = 0;
  double average = 0;  // decay of an EMA of the weights, which is then validated and saved; 0: none
  int64_t swa_start = 0, swa_every = 1;  // in steps; swa_start 0: no SWA
  int64_t validate_every = 0;            // steps; 0: at the end of each epoch
  int64_t save_every = 0;                // steps, in addition to validations and the end
  int64_t patience = 0;    // validations without a better loss before the run stops; 0: never
  int64_t log_every = 20;  // steps
  int64_t seed = 1;
  std::string from{}, freeze{};
  bool overfit_batch = false, log_norms = false, tensorboard = false;

  SLOPE_CONFIG(
      key(epochs, "passes over the training data; 0: use steps", 0, 1e9).changeable(),
      key(steps, "optimizer steps; 0: use epochs", 0, 4e9).changeable(),
      key(batch_size, "sequences in a micro-batch", 1, 1 << 20),
      key(accumulate, "micro-batches whose gradients are added for one step", 1, 1 << 15),
      key(piece_tokens, "a micro-batch of more tokens runs in pieces, to save memory; 0: whole", 0,
          1e9),
      key(precision, "matrix products: in f32, or of operands rounded to bf16, with sums in f32",
          {"f32", "bf16"}),
      key(optimizer, "the update rule", optimizer_names()),
      key(lr, "peak learning rate", 0, models::any_real)
          .changeable(optimizer != "rprop"),  // which reads it once
      key(beta1, "decay of the running mean of gradients; Lion: share of that mean in an update", 0,
          0.9999999)
          .only_with("optimizer", {"adam", "adamax", "adamw", "nadam", "radam", "lion", "muon"}),
      key(beta2,
          "decay of the running mean of squared gradients; Lion: of its running mean of gradients",
          0, 0.9999999)
          .only_with("optimizer", {"adam", "adamax", "adamw", "nadam", "radam", "lion", "muon"}),
      key(adam_eps, "added to the denominator, the root of the running mean of squared gradients",
          1e-20, 1)
          .only_with("optimizer", {"adam", "adamax", "adamw", "nadam", "radam", "muon"}),
      key(amsgrad, "use the largest running mean of squared gradients so far")
          .only_with("optimizer", {"adam", "adamw"}),
      key(momentum, "momentum factor: share of the last update that goes into the next", 0, 1)
          .only_with("optimizer", {"sgd", "rmsprop"}),
      key(nesterov, "Nesterov's momentum").only_with("optimizer", {"sgd"}),
      key(momentum_decay, "NAdam: how fast its momentum rises to beta1", 0, 1)
          .only_with("optimizer", {"nadam"}),
      key(alpha, "RMSprop: decay of the running mean of squared gradients", 0, 0.9999999)
          .only_with("optimizer", {"rmsprop"}),
      key(centered,
          "RMSprop: divide by the standard deviation of the gradients, not by their root mean "
          "square")
          .only_with("optimizer", {"rmsprop"}),
      key(lr_decay, "Adagrad: lr decays as 1 / (1 + lr_decay step)", 0, models::any_real)
          .only_with("optimizer", {"adagrad"}),
      key(initial_accumulator_value, "Adagrad: initial value of its sums of squared gradients", 0,
          1e38)
          .only_with("optimizer", {"adagrad"}),
      key(beta2_decay, "Adafactor: step^beta2_decay is the weight of the newest squared gradient",
          -10, 0)
          .only_with("optimizer", {"adafactor"}),
      key(rho, "Adadelta: decay of the means of squared gradients and of squared updates", 0, 1)
          .only_with("optimizer", {"adadelta"}),
      key(adadelta_eps, "Adadelta: added to both means before their roots are taken", 1e-20, 1)
          .only_with("optimizer", {"adadelta"}),
      key(lambd, "ASGD: how fast its rate falls, lr / (1 + lambd lr t)^asgd_alpha", 0,
          models::any_real)
          .only_with("optimizer", {"asgd"}),
      key(asgd_alpha, "ASGD: power with which its rate falls", 0, 10)
          .only_with("optimizer", {"asgd"}),
      key(t0, "ASGD: step from which it averages the weights into its state", 0, 1e15)
          .only_with("optimizer", {"asgd"}),
      key(eta_minus, "Rprop: factor of an element's step when its gradient changes sign", 1e-9,
          0.9999999)
          .only_with("optimizer", {"rprop"}),
      key(eta_plus, "Rprop: factor of an element's step while its gradient keeps its sign",
          1.0000001, 1000)
          .only_with("optimizer", {"rprop"}),
      key(min_step_size, "Rprop: smallest step of an element; its first step is lr", 1e-30,
          models::any_real)
          .only_with("optimizer", {"rprop"}),
      key(max_step_size, "Rprop: largest step of an element", 1e-30, models::any_real)
          .only_with("optimizer", {"rprop"}),
      key(max_iter, "L-BFGS: most iterations in one step, all on the step's micro-batches", 1, 1e6)
          .only_with("optimizer", {"lbfgs"}),
      key(history_size,
          "L-BFGS: past updates that it remembers, each twice as large as the weights", 1, 1e6)
          .only_with("optimizer", {"lbfgs"}),
      key(line_search_fn,
          "L-BFGS: how far it goes in a direction: to a point that fulfils the strong Wolfe "
          "conditions, or by lr",
          {"strong_wolfe", "none"})
          .only_with("optimizer", {"lbfgs"}),
      key(tolerance_grad, "L-BFGS: a step ends when no element of the gradient is larger than this",
          0, models::any_real)
          .only_with("optimizer", {"lbfgs"}),
      key(tolerance_change, "L-BFGS: a step ends when weights or loss change by less than this", 0,
          models::any_real)
          .only_with("optimizer", {"lbfgs"}),
      key(muon_momentum, "Muon: decay of the mean of gradients of matrices", 0, 0.9999999)
          .only_with("optimizer", {"muon"}),
      key(muon_adjust_lr,
          "Muon: size of its steps; match_rms_adamw: as large as those of AdamW, which updates all "
          "parameters but matrices",
          {"match_rms_adamw", "original"})
          .only_with("optimizer", {"muon"}),
      key(weight_decay, "weight decay of tensors with two or more dims", 0, models::any_real)
          .only_with("optimizer", without(optimizer_names(), {"lbfgs", "rprop"})),
      key(schedule, "learning-rate schedule after the warm-up", schedule_names())
          .only_with("optimizer", without(optimizer_names(), {"rprop"}))
          .changeable(),
      key(warmup, "steps of linear warm-up to lr", 0, 1e9)
          .only_with("optimizer", without(optimizer_names(), {"rprop"}))
          .changeable(),
      key(lr_min, "lowest learning rate, to which the schedule decays", 0, models::any_real)
          .only_with("schedule",
                     {"cosine", "cosine_restarts", "linear", "plateau", "sequential", "wsd"})
          .changeable(),
      key(step_size, "steps between two decays of lr", 1, 1e9)
          .only_with("schedule", {"step", "sequential"})
          .changeable(),
      key(milestones, "steps at which lr decays, or the next schedule begins, such as 1000,1500")
          .only_with("schedule", {"multistep", "sequential"})
          .changeable(),
      key(gamma, "factor of each decay of lr; exponential: of each step", 0, 1)
          .only_with("schedule", {"step", "multistep", "exponential", "plateau", "sequential"})
          .changeable(),
      key(power, "lr decays to 0 as (1 - step / steps)^power", 0, 100)
          .only_with("schedule", {"polynomial", "sequential"})
          .changeable(),
      key(restart_steps, "steps of the first cosine cycle", 1, 1e9)
          .only_with("schedule", {"cosine_restarts", "sequential"})
          .changeable(),
      key(restart_factor, "factor by which each cosine cycle is longer than the one before", 1,
          1000)
          .only_with("schedule", {"cosine_restarts", "sequential"})
          .changeable(),
      key(rise_share, "share of the steps in which lr rises", 0, 1)
          .only_with("schedule", {"one_cycle", "sequential"})
          .changeable(),
      key(div_factor, "lr begins at lr / div_factor", 1, models::any_real)
          .only_with("schedule", {"one_cycle", "sequential"})
          .changeable(),
      key(final_div_factor, "lr ends at lr / div_factor / final_div_factor", 1, models::any_real)
          .only_with("schedule", {"one_cycle", "sequential"})
          .changeable(),
      key(noam_d_model, "channels of the formula lr d_model^-0.5 min(t^-0.5, t warmup^-1.5)", 1,
          1e9)
          .only_with("schedule", {"noam", "sequential"})
          .changeable(),
      key(decay_share, "share of the steps, at the end, in which lr decays to lr_min", 0, 1)
          .only_with("schedule", {"wsd", "sequential"})
          .changeable(),
      key(plateau_patience, "validations without a better loss before lr falls by gamma", 0, 1e9)
          .only_with("schedule", {"plateau"})
          .changeable(),
      key(plateau_cooldown, "validations after a fall of lr that do not count", 0, 1e9)
          .only_with("schedule", {"plateau"})
          .changeable(),
      key(plateau_threshold, "by how much a loss must be lower to count as better", 0,
          models::any_real)
          .only_with("schedule", {"plateau"})
          .changeable(),
      key(plateau_threshold_mode, "plateau_threshold is a share of the best loss, or absolute",
          {"rel", "abs"})
          .only_with("schedule", {"plateau"})
          .changeable(),
      key(schedules,
          "schedules that follow each other; at each of the milestones the next one begins and "
          "counts its steps from there")
          .only_with("schedule", {"sequential"})
          .changeable(),
      key(clip, "maximum norm of the gradient; 0: no clipping", 0, models::any_real)
          .only_with("optimizer", without(optimizer_names(), {"lbfgs"})),
      key(label_smoothing, "share of the target's probability that is spread over all classes", 0,
          1),
      key(average, "decay of an EMA of the weights, which is then validated and saved; 0: none", 0,
          0.9999999),
      key(swa_start,
          "step from which on the mean of the weights is taken (SWA), which is then validated and "
          "saved; 0: none",
          0, 4e9),
      key(swa_every, "steps between two weights that enter that mean", 1, 1e9),
      key(validate_every,
          "steps between validations; 0: each epoch (with a whole text or one batch: the end)", 0,
          1e9),
      key(save_every, "steps between additional checkpoints; 0: none", 0, 1e9).changeable(),
      key(patience, "validations without a better loss before stopping; 0: never stop early", 0,
          1e9)
          .changeable(),
      key(log_every, "steps between log lines", 1, 1e9).changeable(),
      key(seed, "seed of weights, order and dropout, and of data that are drawn", 0, 9e15),
      key(from,
          "a run or .safetensors file with the initial weights; a run also gives the model's "
          "settings and tokenizers; empty: weights drawn from the seed"),
      key(freeze,
          "parameters not to train: names separated by commas, in which * stands for any "
          "characters"),
      key(overfit_batch,
          "train and validate on the first batch only, to see whether the model can learn at all"),
      key(log_norms, "log the norms of each layer's gradient and weights (slope plot draws them)")
          .changeable(),
      key(tensorboard, "also write TensorBoard events, in RUN/tensorboard").changeable())
};

// UsageError if the milestones are not increasing steps.
std::vector<int64_t> milestones_of(const TrainSettings& t);

// UsageError if settings contradict each other, in a run of `total` steps.
void check_settings(const TrainSettings& t, int64_t total);

// The learning rate of step `step` (from 1) of `total`; the schedule plateau multiplies it by a
// factor that depends on the losses.
double learning_rate(const TrainSettings& t, int64_t step, int64_t total);

}  // namespace slope::train
