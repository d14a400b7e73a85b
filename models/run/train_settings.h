// The settings of every training run: length, batches, optimizer, schedule, when to validate and
// save.
#pragma once

#include <slope/models/config.h>

namespace slope::train {

struct TrainSettings {
  int64_t epochs = 10;          // passes over the data; 0: `steps` decides
  int64_t steps = 0;            // optimizer steps; 0: `epochs` decides
  int64_t batch_size = 128;     // sequences of one micro-batch
  int64_t accumulate = 1;       // micro-batches of one step
  int64_t piece_tokens = 4096;  // a micro-batch of more tokens runs in pieces; 0: whole
  std::string optimizer = "adam";
  double lr = 5e-4;
  double beta1 = 0.9, beta2 = 0.999, adam_eps = 1e-8;
  double momentum = 0;      // of sgd
  double weight_decay = 0;  // on tensors of two or more dims
  std::string schedule = "constant";
  int64_t warmup = 0;  // steps of linear rise from 0 to lr
  double lr_min = 0;   // final rate of the schedules cosine and linear
  double clip = 1;     // largest norm of the whole gradient; 0: none
  double label_smoothing = 0;
  double average = 0;  // decay of the EMA of the weights that is validated and saved; 0: none
  int64_t validate_every = 0;  // steps; 0: at the end of each epoch
  int64_t save_every = 0;      // in addition to each validation and the end
  int64_t patience = 0;        // validations without a better loss before the run stops; 0: never
  int64_t log_every = 20;      // steps
  int64_t seed = 1;

  SLOPE_CONFIG(
      key(epochs, "passes over the training data; 0: steps decides", 0, 1e9).changeable(),
      key(steps, "optimizer steps; 0: epochs decides", 0, 4e9).changeable(),
      key(batch_size, "sequences in a micro-batch", 1, 1 << 20),
      key(accumulate, "micro-batches added up for one step", 1, 1 << 15),
      key(piece_tokens, "a micro-batch of more tokens runs in pieces, to save memory; 0: whole", 0,
          1e9),
      key(optimizer, "the update rule", {"adam", "adamw", "sgd"}),
      key(lr, "learning rate: the highest of the schedule", 0, models::any_real).changeable(),
      key(beta1, "Adam: decay of the mean of gradients", 0, 0.9999999),
      key(beta2, "Adam: decay of the mean of squared gradients", 0, 0.9999999),
      key(adam_eps, "Adam: added to the root of that mean", 1e-20, 1),
      key(momentum, "SGD: momentum", 0, 1),
      key(weight_decay, "weight decay of tensors with two or more dims", 0, models::any_real),
      key(schedule, "how lr moves after the warm-up",
          {"constant", "cosine", "inverse_sqrt", "linear"})
          .changeable(),
      key(warmup, "steps of linear rise to lr", 0, 1e9).changeable(),
      key(lr_min, "final learning rate of the schedules cosine and linear", 0, models::any_real)
          .changeable(),
      key(clip, "largest norm of the gradient; 0: no clipping", 0, models::any_real),
      key(label_smoothing, "share of the target spread over all classes", 0, 1),
      key(average, "decay of the EMA of the weights that is validated and saved; 0: none", 0,
          0.9999999),
      key(validate_every, "steps between validations; 0: each epoch", 0, 1e9),
      key(save_every, "steps between further checkpoints; 0: none", 0, 1e9).changeable(),
      key(patience, "validations without a better loss before stopping; 0: never stop early", 0,
          1e9)
          .changeable(),
      key(log_every, "steps between lines of the log", 1, 1e9).changeable(),
      key(seed, "seed of weights, order and dropout", 0, 9e15))
};

// The learning rate of step `step` (from 1) of `total`.
double learning_rate(const TrainSettings& t, int64_t step, int64_t total);

}  // namespace slope::train
