// slope inspect: the content of a safetensors file or a run, without loading it.
#include <slope/core/files/safetensors.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_folder.h>
#include <slope/models/run/run_state.h>
#include <slope/models/run/settings.h>
#include <slope/tools/command.h>

#include <nlohmann/json.hpp>

#include <cstdio>

namespace slope::tools {

namespace {

nlohmann::ordered_json describe_file(const std::string& file) {
  const SafetensorsHeader header = inspect_safetensors(file);
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  int64_t elements = 0;
  for (const TensorInfo& t : header.tensors) {
    elements += numel(t.shape);
    tensors.push_back({{"name", t.name},
                       {"dtype", std::string(t.type->name)},
                       {"shape", std::vector<int64_t>(t.shape.begin(), t.shape.end())},
                       {"bytes", t.end - t.begin}});
  }
  return {
      {"file", file}, {"elements", elements}, {"metadata", header.metadata}, {"tensors", tensors}};
}

// The first 400 bytes of a text from a file, which may be of any length.
std::string beginning(const std::string& text) {
  constexpr size_t most = 400;
  return text.size() <= most
             ? visible(text)
             : fmt::format("{}… ({} bytes)", visible(text.substr(0, most)), text.size());
}

void print(const nlohmann::ordered_json& file) {
  const auto& tensors = file["tensors"];
  std::printf("%s: %zu tensors, %ld elements\n", visible(file["file"].get<std::string>()).c_str(),
              tensors.size(), file["elements"].get<long>());
  for (const auto& t : tensors)
    std::printf("  %-56s %-5s %s\n", beginning(t["name"].get<std::string>()).c_str(),
                t["dtype"].get<std::string>().c_str(), train::json_text(t["shape"]).c_str());
  for (const auto& [key, value] : file["metadata"].items())
    std::printf("  metadata %s = %s\n", beginning(key).c_str(),
                beginning(value.get<std::string>()).c_str());
}

int run(const std::string& path, bool as_json) {
  const sys::Kind kind = sys::kind_followed(path);
  SLOPE_CHECK_AS(IoError, kind != sys::Kind::nothing, "{}: no such file or folder", path);
  if (kind != sys::Kind::folder) {
    const auto file = describe_file(path);
    if (as_json)
      std::printf("%s\n", train::json_text(file, 1).c_str());
    else
      print(file);
    return 0;
  }
  const std::string folder = train::checkpoint_folder(path);
  const std::string config = folder + "/config.json";
  const std::string settings = train::read_json_text(config);
  train::refuse_export(settings, config);
  nlohmann::ordered_json json = {{"checkpoint", folder},
                                 {"config", train::parse_json(settings, config)}};
  SLOPE_CHECK_INPUT(json["config"].is_object(), "{}: expected a JSON object of settings", config);
  for (const auto& [key, value] : json["config"].items())
    SLOPE_CHECK_INPUT(!value.is_structured(), "{}: {}: expected the value of a setting, got {}",
                      config, key, value.is_array() ? "a list" : "an object");
  if (sys::kind_followed(folder + "/state.json") != sys::Kind::nothing) {
    const train::RunState state = train::RunState::read(folder + "/state.json");
    json["step"] = state.step;
    json["best_step"] = state.best_step;
    json["best_validation_loss"] =
        state.best_step > 0 ? nlohmann::ordered_json(state.best_loss) : nlohmann::ordered_json();
  }
  json["model"] = describe_file(folder + "/model.safetensors");
  if (as_json) {
    std::printf("%s\n", train::json_text(json, 1).c_str());
    return 0;
  }
  std::printf("checkpoint %s\n", visible(folder).c_str());
  for (const char* key : {"step", "best_step", "best_validation_loss"})
    if (json.contains(key)) std::printf("%s %s\n", key, train::json_text(json[key]).c_str());
  for (const auto& [key, value] : json["config"].items())
    std::printf("  %-18s %s\n", beginning(key).c_str(), beginning(train::json_text(value)).c_str());
  print(json["model"]);
  return 0;
}

}  // namespace

void add_inspect(Command& slope) {
  Command command = slope.subcommand(
      "inspect",
      "Show what a safetensors file or a run contains.\nExample: slope inspect runs/first");
  static std::string path;
  static bool json = false;
  command.option("path", path, "a .safetensors file or a run's folder")
      .required()
      .takes_name("FILE|RUN");
  command.flag("--json", json, "as JSON");
  command.runs([] { return run(path, json); });
}

}  // namespace slope::tools
