#include <slope/models/train/train_settings.h>
#include <slope/optim/schedule.h>

namespace slope::train {

Settings settings_of(TrainSettings& t) {
  constexpr double any = 1e300;
  return {
      {"epochs", &t.epochs, "passes over the training data; 0: steps decides", 0, 1e9, {}, true},
      {"steps", &t.steps, "optimizer steps; 0: epochs decides", 0, 4e9, {}, true},
      {"batch_size", &t.batch_size, "sequences in a micro-batch", 1, 1 << 20},
      {"accumulate", &t.accumulate, "micro-batches added up for one step", 1, 1 << 15},
      {"piece_tokens",
       &t.piece_tokens,
       "a micro-batch of more tokens is run in pieces, for less memory; 0: whole",
       0,
       1e9,
       {},
       false,
       "0"},
      {"optimizer", &t.optimizer, "the update rule", -any, any, {"adam", "adamw", "sgd"}},
      {"lr", &t.lr, "learning rate: the highest of the schedule", 0, any},
      {"beta1", &t.beta1, "Adam: decay of the mean of gradients", 0, 0.9999999},
      {"beta2", &t.beta2, "Adam: decay of the mean of their squares", 0, 0.9999999},
      {"adam_eps", &t.adam_eps, "Adam: added to the root of that mean", 0, 1},
      {"momentum", &t.momentum, "SGD: momentum", 0, 1},
      {"weight_decay", &t.weight_decay, "on weights of two or more dims", 0, any},
      {"schedule",
       &t.schedule,
       "how lr moves after the warm-up",
       -any,
       any,
       {"constant", "cosine", "inverse_sqrt", "linear"}},
      {"warmup", &t.warmup, "steps of linear rise to lr", 0, 1e9},
      {"lr_min", &t.lr_min,
       "what cosine and linear fall towards; a step after the last would have it", 0, any},
      {"clip", &t.clip, "largest norm of the gradient; 0: no clipping", 0, any},
      {"label_smoothing", &t.label_smoothing, "share of the target spread over all classes", 0, 1},
      {"average", &t.average,
       "decay of the moving average of weights that is validated and kept; 0: none", 0, 0.9999999},
      {"validate_every", &t.validate_every, "steps between validations; 0: each epoch", 0, 1e9},
      {"save_every", &t.save_every, "steps between further checkpoints; 0: none", 0, 1e9, {}, true},
      {"patience",
       &t.patience,
       "validations without a better loss before stopping; 0: never stop early",
       0,
       1e9,
       {},
       true},
      {"log_every", &t.log_every, "steps between lines of the log", 1, 1e9, {}, true},
      {"seed", &t.seed, "of weights, order and dropout", 0, 9e15},
  };
}

double learning_rate(const TrainSettings& t, int64_t step, int64_t total) {
  if (step <= t.warmup) return t.lr * optim::linear(step, t.warmup, 0, 1);
  const int64_t done = step - 1 - t.warmup, all = std::max<int64_t>(1, total - t.warmup);
  const double least = t.lr > 0 ? t.lr_min / t.lr : 0;
  if (t.schedule == "cosine") return t.lr * optim::cosine(done, all, least);
  if (t.schedule == "linear") return t.lr * optim::linear(done, all, 1, least);
  if (t.schedule == "inverse_sqrt") return t.lr * optim::inverse_sqrt(step - 1, t.warmup);
  return t.lr;
}

}  // namespace slope::train
