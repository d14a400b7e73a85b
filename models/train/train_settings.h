// What every training run can be told: length, batches, optimizer, schedule, when
// to validate and save.
#pragma once

#include <slope/models/run/settings.h>

namespace slope::train {

struct TrainSettings {
  int64_t epochs = 10;          // passes over the data; 0: `steps` decides
  int64_t steps = 0;            // optimizer steps; 0: `epochs` decides
  int64_t batch_size = 128;     // sequences of one micro-batch
  int64_t accumulate = 1;       // micro-batches of one step
  int64_t piece_tokens = 4096;  // a micro-batch of more tokens is run in pieces; 0: whole
  std::string optimizer = "adam";
  double lr = 5e-4;
  double beta1 = 0.9, beta2 = 0.999, adam_eps = 1e-8;
  double momentum = 0;      // of sgd
  double weight_decay = 0;  // on what has two or more dims
  std::string schedule = "constant";
  int64_t warmup = 0;  // steps of linear rise from 0 to lr
  double lr_min = 0;   // what cosine and linear fall towards; a step after the last would have it
  double clip = 1;     // largest norm of the whole gradient; 0: none
  double label_smoothing = 0;
  // decay of the moving average of the weights that is validated and saved as best; 0: none
  double average = 0;
  int64_t validate_every = 0;  // steps; 0: at the end of each epoch
  int64_t save_every = 0;      // steps; besides each validation and the end
  int64_t patience = 0;        // validations without a better loss before the run stops; 0: never
  int64_t log_every = 20;      // steps
  int64_t seed = 1;
};

Settings settings_of(TrainSettings& t);

// The learning rate of step `step` (from 1) of `total`.
double learning_rate(const TrainSettings& t, int64_t step, int64_t total);

}  // namespace slope::train
