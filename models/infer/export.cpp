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

namespace slope::train {

static constexpr const char *stems[] = {"source", "target", "shared"},
                            *endings[] = {".vocab", ".model", ".spacing"};

static bool is_exported(std::string_view name) {
  if (name == "model.safetensors" || name == "config.json") return true;
  for (const std::string stem : stems)
    for (const char* ending : endings)
      if (name == stem + ending) return true;
  return false;
}

static std::string config_of(const std::string& checkpoint, nn::ModuleRef model) {
  const std::string file = checkpoint + "/config.json";
  nlohmann::ordered_json config = parse_json(read_json_text(file), file);
  config["tied"] = nn::state_dict(model).tied;
  config["modules"] = nn::to_string(model);
  return json_text(config, 2) + "\n";
}

void export_to_pytorch(const std::string& run, const std::string& folder) {
  SLOPE_CHECK_AS(UsageError, sys::kind(sys::without_trailing_slashes(folder)) == sys::Kind::nothing,
                 "export: {} exists; name a new folder", folder);
  const std::string checkpoint = checkpoint_folder(run);
  const Sample sample = sample_of_run(checkpoint);
  const nn::ModuleRef model = sample.model->module();
  LockedFolderSink sink(folder, is_exported);
  save_safetensors(sink.file("model.safetensors"), nn::state_entries(model), {{"format", "pt"}});
  write_file(sink.file("config.json"), config_of(checkpoint, model));
  for (const std::string stem : stems)
    for (const char* ending : endings) {
      const std::string name = stem + ending, file = checkpoint + "/" + name;
      if (sys::kind_followed(file) == sys::Kind::file) write_file(sink.file(name), read_file(file));
    }
  sink.commit();
}

}  // namespace slope::train
