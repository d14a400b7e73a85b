// Which model a command line `slope train …` or `slope sweep …` is about: the model that is named,
// else that of the resumed run, --from, --config or --preset, else the kind's default. It is
// determined before the flags are parsed, because which flags there are depends on the model.
#pragma once

#include <slope/models/kinds/model.h>

#include <string>
#include <vector>

namespace slope::tools {

struct TrainChoice {
  std::string word;  // after `train` or `sweep`: kind or model; empty: other command
  const models::ModelType* type = nullptr;  // null if `word` is neither
  std::string config_text;  // the text of the --config file, kept: a pipe is read only once
};

// Finds the choice in the words after `slope` and keeps it for train_choice(). UsageError if a
// model is unknown or of another kind, or if a setting stands where the kind or model belongs:
// `slope train --text f`.
void choose_training(const std::vector<std::string>& words);
TrainChoice train_choice();  // what choose_training found

}  // namespace slope::tools
