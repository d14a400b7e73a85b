// Settings (models/config.h) as text: config.json, flags, and what differs from an earlier run.
#pragma once

#include <slope/models/config.h>

namespace slope::train {

using models::Setting, models::Settings;

std::string to_text(const Setting& setting);  // the current value, as JSON writes it
// a flag's value; UsageError names the key and what it accepts
void set_from_text(const Setting& setting, const std::string& text);
std::string to_json(const Settings& settings, int indent = -1);  // an object; -1: on one line
// `json` was read from `file`. Every key must be known, of the right type and in range; otherwise
// InputError with file, key and the nearest known key. Settings that are not mentioned keep their
// values. Returns the keys.
std::vector<std::string> from_json(const Settings& settings, const std::string& json,
                                   const std::string& file);
// The same for the settings that a run saved: a missing key gets the value that applied before the
// key existed.
void from_saved_json(const Settings& settings, const std::string& json, const std::string& file);
// InputError if `json` is the config.json that slope export writes beside a PyTorch model.
void refuse_export(const std::string& json, const std::string& file);
// the value of "model"; empty if there is none
std::string model_of(const std::string& json, const std::string& file);
// JSON of all settings, each with the value that applied in builds that did not know it yet.
std::string values_before(const Settings& defaults);
// The settings of an earlier run, including those that its build did not know yet.
std::string completed(const std::string& json_before, const std::string& json_values_before);
// The keys that must not differ from an earlier run but do, each with both values; empty if a
// resume is allowed.
std::vector<std::string> differences(const Settings& now, const std::string& json_before);
// The keys that may differ and do.
std::vector<std::string> changes(const Settings& now, const std::string& json_before);
// The same where nothing is left to do with the new values: "lr stays 0.001".
std::vector<std::string> left_as_before(const Settings& now, const std::string& json_before);

}  // namespace slope::train
