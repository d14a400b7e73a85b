// The optimizers that a run's settings name: one, or Muon for matrices and AdamW for the rest.
// Their own learning rate is 1 (except Rprop's), so that the schedule's value is the rate. L-BFGS
// is not among them, because its step evaluates the loss.
#pragma once

#include <slope/models/run/train_settings.h>
#include <slope/optim/lbfgs.h>
#include <slope/optim/optimizer.h>

#include <memory>
#include <set>

namespace slope::train {

struct OptimizerOf {
  std::unique_ptr<optim::Optimizer> optimizer;
  std::set<std::string> names;  // of its parameters
};
using Optimizers = std::vector<OptimizerOf>;

Optimizers make_optimizers(const NamedTensors& parameters, const TrainSettings& t);
optim::LbfgsOptions lbfgs_options(const TrainSettings& t);
// loads their state_dict()s from one list; InputError as in Optimizer::load_state_dict
void load_state(const Optimizers& optimizers, const NamedTensors& state);

}  // namespace slope::train
