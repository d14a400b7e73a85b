// A run's settings in one line: a model of the zoo and the settings that differ from its defaults.
#pragma once

#include <slope/models/registry.h>
#include <slope/models/run/run_settings.h>

#include <map>

namespace slope::test {

inline train::RunSettings settings_of(const std::string& model,
                                      const std::map<std::string, std::string>& values = {}) {
  train::RunSettings settings(models::model_named(model));
  for (const auto& [key, value] : values) settings.set(key, value);
  return settings;
}

}  // namespace slope::test
