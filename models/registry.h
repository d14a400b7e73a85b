// The models by name. registry.cpp lists those that come with slope, one line each; a program adds
// its own with register_model and then calls the command's main (tools/main.h).
#pragma once

#include <slope/models/kinds/model.h>

#include <span>

namespace slope::models {

// The models of registry.cpp in their order, then registered ones. The first model of a kind is the
// kind's default.
std::span<const ModelTypePtr> zoo();

// UsageError if the name is taken (by a model or a kind) or not made of lower-case letters, digits
// and hyphens, if a setting's default is outside its range or choices, or if a setting is named
// like one of slope's own or like a flag of slope train or slope sweep.
void register_model(ModelTypePtr type);

const ModelType* find_model(const std::string& name);  // null if there is none
// If there is no such model, a UsageError lists the models (of `kind`, if given) and suggests the
// nearest.
const ModelType& model_named(const std::string& name);
const ModelType& model_named(const std::string& name, Kind kind);
const ModelType& default_model(Kind kind);
std::vector<std::string> model_names();
std::vector<std::string> model_names(Kind kind);
bool is_bundled(const ModelType& type);  // listed in registry.cpp, with a file models/NAME.h

// A named set of values for settings, written as for flags; other settings keep their defaults.
// Other models of the same kind take a preset too, if they have all its settings.
struct Preset {
  const char* name;
  const char* model;  // for which the values were chosen; it is trained if no model is named
  const char* about;
  std::vector<std::pair<const char*, const char*>> values;  // key, value
};
std::span<const Preset> presets();
const Preset* find_preset(const std::string& name);
std::vector<std::string> preset_names(Kind kind);

}  // namespace slope::models
