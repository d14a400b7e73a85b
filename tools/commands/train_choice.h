// Which model a command line `slope train …` is about, told before its flags are read, since the
// flags are the model's settings: the one that is named, else that of --config, --preset or the run
// that is resumed, else the kind's default.
#pragma once

#include <slope/models/kinds/model.h>

#include <string>
#include <vector>

namespace slope::tools {

struct TrainChoice {
  std::string word;  // behind `train`: a kind or a model; empty: another command
  const models::ModelType* type = nullptr;  // null where `word` is neither
};

// The words behind `slope`. UsageError for a model that is not known or of another kind, and for a
// setting given without a kind.
void choose_training(const std::vector<std::string>& words);
TrainChoice train_choice();  // what choose_training found

}  // namespace slope::tools
