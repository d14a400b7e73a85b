// The optimizers of a run, as its settings say: one, or Muon beside the AdamW that updates all that
// is no matrix. Their own learning rate is 1, so that a schedule's value is the rate.
#pragma once

#include <slope/models/run/train_settings.h>
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
// what their state_dict() gave, in one list; InputError as Optimizer::load_state_dict
void load_state(const Optimizers& optimizers, const NamedTensors& state);

}  // namespace slope::train
