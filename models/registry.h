// The models by name. The list of those that slope brings is in registry.cpp, one line each; a
// program adds its own with register_model and then calls the command's main (tools/main.h).
#pragma once

#include <slope/models/kinds/model.h>

#include <span>

namespace slope::models {

// Those of registry.cpp in their order, then registered ones. The first of a kind is its default.
std::span<const ModelTypePtr> zoo();

// UsageError where the name is taken, or is no name: lower-case letters, digits and hyphens.
void register_model(ModelTypePtr type);

const ModelType* find_model(const std::string& name);  // null where there is none
// UsageError that lists the models (of `kind`, where one is given) and names the nearest.
const ModelType& model_named(const std::string& name);
const ModelType& model_named(const std::string& name, Kind kind);
const ModelType& default_model(Kind kind);
std::vector<std::string> model_names();
std::vector<std::string> model_names(Kind kind);
bool is_bundled(const ModelType& type);  // of registry.cpp, and so with a file models/NAME.h

// Named settings of a model: what differs from the defaults, as flags would give it.
struct Preset {
  const char* name;
  const char* model;
  const char* about;
  std::vector<std::pair<const char*, const char*>> values;  // key, value
};
std::span<const Preset> presets();
const Preset* find_preset(const std::string& name);
std::vector<std::string> preset_names(const ModelType& type);

}  // namespace slope::models
