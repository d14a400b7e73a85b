// The models by name. registry.cpp lists those that come with slope, one line each; a program adds
// its own with register_model and then calls the command's main (tools/main.h).
#pragma once

#include <slope/models/kinds/model.h>

#include <span>

namespace slope::models {

// The models of registry.cpp in their order, then registered ones. The first of a kind is its
// default.
std::span<const ModelTypePtr> zoo();

// UsageError if the name is taken or invalid: lower-case letters, digits and hyphens.
void register_model(ModelTypePtr type);

const ModelType* find_model(const std::string& name);  // null if there is none
// UsageError that lists the models (of `kind`, if given) and names the nearest.
const ModelType& model_named(const std::string& name);
const ModelType& model_named(const std::string& name, Kind kind);
const ModelType& default_model(Kind kind);
std::vector<std::string> model_names();
std::vector<std::string> model_names(Kind kind);
bool is_bundled(const ModelType& type);  // listed in registry.cpp, with a file models/NAME.h

// Named settings: those that differ from the defaults, as flags would give them. Other models of
// the same kind take them too, as far as they have these settings.
struct Preset {
  const char* name;
  const char* model;  // for which they were chosen, and which trains if none is named
  const char* about;
  std::vector<std::pair<const char*, const char*>> values;  // key, value
};
std::span<const Preset> presets();
const Preset* find_preset(const std::string& name);
std::vector<std::string> preset_names(Kind kind);

}  // namespace slope::models
