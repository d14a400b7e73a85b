// The settings of a run from a command line, for `slope train` and `slope sweep`. They come from
// these sources, each overriding earlier ones:
//   the run that --resume continues; or, for a new run, the size of the user's own parallel text
//   the run that --from names: model and tokenizers
//   --preset
//   --config
//   the flags, one for each setting of the model that is trained
#pragma once

#include <slope/core/files/input_stream.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/train/tasks/model_task.h>
#include <slope/tools/command.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slope::tools {

struct SettingsFlags {
  std::map<std::string, std::string> values;  // of settings, by key
  std::string config, preset;
};

void add_settings_flags(Command& command, SettingsFlags& flags, const models::ModelType& type);

// Changes `settings`, which must be at their defaults. `resumed`: the folder of the run to resume.
void gather(train::RunSettings& settings, const SettingsFlags& flags, const std::string& resumed);

// The files of text that the settings name, with their flags; none of the bundled corpus.
std::vector<InputArgument> text_inputs(const train::RunSettings& settings);
bool is_read_once(const InputArgument& input);  // a pipe, for example

// The task. With --from, it starts with the weights and tokenizers named there; if a run is
// resumed, they come from that run's checkpoint.
std::unique_ptr<train::ModelTask> make_task(train::RunSettings& settings,
                                            const std::string& resumed);

// Adds a subcommand for each kind and each model, and calls add(subcommand, model) for the one that
// the command line names.
void add_kinds_and_models(Command& command, const std::function<std::string(models::Kind)>& help,
                          const std::function<std::string(const models::ModelType&)>& short_help,
                          const std::function<void(Command&, const models::ModelType&)>& add);

}  // namespace slope::tools
