#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/folder_sink.h>
#include <slope/core/files/safetensors.h>
#include <slope/core/files/system_call.h>
#include <slope/models/infer/export.h>
#include <slope/models/infer/sample.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/nn/nn.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace slope::train {

static std::string config_of(const std::string& checkpoint, nn::ModuleRef model) {
  const std::string file = checkpoint + "/config.json";
  nlohmann::ordered_json config = parse_json(read_json_text(file), file);
  config["tied"] = nn::state_dict(model).tied;
  config["modules"] = nn::to_string(model);
  return json_text(config, 2) + "\n";
}

constexpr const char *weights = "model.safetensors", *settings = "config.json";

static std::vector<std::string> tokenizer_files() {
  std::vector<std::string> names;
  for (const char* stem : {"source", "target", "shared"})
    for (const char* ending : {".vocab", ".model", ".spacing"})
      names.push_back(std::string(stem) + ending);
  return names;
}

static bool is_exported(std::string_view name) {
  const std::vector<std::string> names = tokenizer_files();
  return name == weights || name == settings ||
         std::find(names.begin(), names.end(), name) != names.end();
}

void export_to_pytorch(const std::string& run, const std::string& folder) {
  SLOPE_CHECK_AS(UsageError, sys::kind(folder) == sys::Kind::nothing,
                 "export: {} exists; name a new folder", folder);
  const std::string checkpoint = checkpoint_folder(run);
  const Sample sample = sample_of_run(checkpoint);
  const nn::ModuleRef model = sample.model->module();
  remove_strays_of(folder, is_exported);
  FolderSink sink(folder);
  save_safetensors(sink.file(weights), nn::state_entries(model), {{"format", "pt"}});
  write_file(sink.file(settings), config_of(checkpoint, model));
  for (const std::string& name : tokenizer_files())
    if (const std::string file = checkpoint + "/" + name;
        sys::kind_followed(file) == sys::Kind::file)
      write_file(sink.file(name), read_file(file));
  sink.commit();
}

}  // namespace slope::train
