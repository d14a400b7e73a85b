// Settings: the keys of config.json, each with its place in a config struct, its help, and whether
// it may change when a run is resumed. One table serves the file, the command line, presets, the
// comparison on resume and the documentation.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace slope::train {

struct Setting {
  std::string key;
  std::variant<int64_t*, double*, bool*, std::string*> place;
  std::string help;
  double least = -1e300, most = 1e300;    // of numbers
  std::vector<std::string> choices = {};  // of strings; empty: any
  bool may_change = false;                // on resume
  // as JSON: what runs did that were made before there was this setting; empty: there always was
  std::string earlier = "";
};
using Settings = std::vector<Setting>;

std::string to_text(const Setting& setting);  // the current value, as JSON writes it
// a flag's value; UsageError names the key and what it takes
void set_from_text(const Setting& setting, const std::string& text);
std::string to_json(const Settings& settings, int indent = -1);  // an object; -1: on one line
// `json` is a text that was read from `file`. Every key must be known and of the right type and
// range, else InputError naming file and key (with the nearest known key). Others keep their
// values. Returns the keys.
std::vector<std::string> from_json(const Settings& settings, const std::string& json,
                                   const std::string& file);
// the value of "model"; empty where there is none
std::string model_of(const std::string& json, const std::string& file);
// A checkpoint's config.json; InputError where its model is not the one of these settings.
void read_config(const Settings& settings, const std::string& model, const std::string& file);
// The keys that differ from those of an earlier run and may not, each with both values; empty where
// a resume is sound.
std::vector<std::string> differences(const Settings& now, const std::string& json_before);
// a line for each key: its default and help, for --help and docs
std::string describe(const Settings& settings);

}  // namespace slope::train
