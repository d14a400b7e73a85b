// slope zoo: lists the registered models and their presets, or the layers of one model.
#include <slope/models/infer/sample.h>
#include <slope/models/registry.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_settings.h>
#include <slope/models/run/settings.h>
#include <slope/tools/command.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include <sys/prctl.h>

namespace slope::tools {

namespace {

// "my-model" -> "models/my_model.h"; models that a program adds have no file here.
std::string file_of(const models::ModelType& type) {
  if (!models::is_bundled(type)) return "-";
  std::string file = type.name;
  std::replace(file.begin(), file.end(), '-', '_');
  return "models/" + file + ".h";
}

// To count, the model is made, but its weights are not filled: only the header of each tensor's
// memory is written. Without prctl the system would clear a whole huge page for each header.
int64_t parameters_of(const models::ModelType& type) {
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  return train::count_default_parameters(type);
}

nlohmann::ordered_json to_json(const models::ModelType& type) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  train::RunSettings defaults(type);
  std::set<std::string> own;
  for (const models::Setting& s : type.config()->settings()) own.insert(s.key);
  for (const models::Setting& s : defaults.all()) {
    nlohmann::ordered_json setting = {{"key", s.key},
                                      {"default", train::to_text(s)},
                                      {"help", s.help},
                                      {"may_change", s.may_change},
                                      {"of_model", own.contains(s.key)}};
    if (!s.choices.empty() && s.key != "model") setting["choices"] = s.choices;
    settings.push_back(setting);
  }
  return {{"model", type.name},    {"kind", name(type.kind)}, {"parameters", parameters_of(type)},
          {"file", file_of(type)}, {"about", type.about},     {"settings", settings}};
}

int run_json() {
  nlohmann::ordered_json models = nlohmann::ordered_json::array(), presets = models;
  for (const models::ModelTypePtr& type : models::zoo()) models.push_back(to_json(*type));
  for (const models::Preset& p : models::presets()) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (const auto& [key, value] : p.values) values[key] = value;
    presets.push_back({{"preset", p.name}, {"of", p.model}, {"about", p.about}, {"sets", values}});
  }
  print(train::json_text({{"models", models}, {"presets", presets}}, 1) + "\n");
  return 0;
}

int run() {
  std::string text = fmt::format("{:<14} {:<12} {:>10}  {:<24} {}\n", "model", "kind", "parameters",
                                 "file", "what it is");
  for (const models::ModelTypePtr& type : models::zoo())
    text += fmt::format("{:<14} {:<12} {:>10}  {:<24} {}\n", type->name, name(type->kind),
                        parameters_of(*type), file_of(*type), type->about);
  text += fmt::format("\n{:<14} {:<12} {}\n", "preset", "of", "what it is for");
  for (const models::Preset& p : models::presets())
    text += fmt::format("{:<14} {:<12} {}\n", p.name, p.model, p.about);
  print(text);
  return 0;
}

nlohmann::ordered_json to_json(const nn::LayerSummary& layer) {
  nlohmann::ordered_json output;  // null: no call returned just one tensor
  if (layer.output) output = *layer.output;
  return {{"name", layer.name},
          {"type", layer.type},
          {"calls", layer.calls},
          {"output", output},
          {"parameters", layer.parameters},
          {"multiply_adds", layer.multiply_adds},
          {"output_bytes", layer.output_bytes}};
}

int run_one(const std::string& name, bool json) {
  const models::ModelType& type = models::model_named(name);
  const nn::Summary summary = train::default_summary(type);
  if (!json) {
    print(summary.text());
    return 0;
  }
  nlohmann::ordered_json all = to_json(type);
  for (const nn::LayerSummary& layer : summary.layers) all["layers"].push_back(to_json(layer));
  print(train::json_text(all, 1) + "\n");
  return 0;
}

}  // namespace

void add_zoo(Command& slope) {
  static bool json = false;
  static std::string name;
  Command command = slope.subcommand(
      "zoo",
      "List the models, with parameter counts at default sizes (vocabularies: words of Multi30k, "
      "characters of tiny Shakespeare), and the presets. With a model's name: its layers at that "
      "size, on one example of the greatest length, with output shapes, parameters, multiply-adds "
      "of matrix products, and memory.\nExample: slope zoo " +
          models::zoo().front()->name);
  command.option("model", name, "show the layers of this model").takes_name("MODEL");
  command.flag("--json", json, "as JSON, with every setting");
  command.runs([] { return !name.empty() ? run_one(name, json) : json ? run_json() : run(); });
}

}  // namespace slope::tools
