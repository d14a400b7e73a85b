#include <slope/core/error.h>
#include <slope/core/text/parse_number.h>
#include <slope/core/text/spelling.h>
#include <slope/core/text/visible.h>
#include <slope/models/data/text/utf8.h>
#include <slope/models/run/json.h>
#include <slope/models/run/settings.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace slope::train {

namespace {

std::string kind(const Setting& s) {
  constexpr const char* kinds[] = {"an integer", "a number", "true or false", "a string"};
  if (!s.choices.empty()) return fmt::format("one of {}", fmt::join(s.choices, ", "));
  const bool number = s.place.index() < 2;
  std::string text = kinds[s.place.index()];
  if (number && s.only_least_below_0)
    text += fmt::format(" of at least 0, at most {}, or {}", s.most, s.least);
  else if (number)
    text += fmt::format(" of at least {}, at most {}", s.least, s.most);
  return text;
}

bool in_range(const Setting& s, double value) {
  if (s.only_least_below_0 && value < 0) return value == s.least;
  return value >= s.least && value <= s.most;
}

std::vector<std::string> keys_of(const Settings& settings) {
  std::vector<std::string> keys;
  for (const Setting& s : settings) keys.push_back(s.key);
  return keys;
}

nlohmann::ordered_json value_of(const Setting& s) {
  return std::visit([](auto* place) { return nlohmann::ordered_json(*place); }, s.place);
}

}  // namespace

std::string to_text(const Setting& setting) { return json_text(value_of(setting)); }

void set_from_text(const Setting& s, const std::string& text) {
  bool good = false;
  std::string flag = s.key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  const bool may_name_a_file = std::get_if<std::string*>(&s.place) && s.choices.empty();
  SLOPE_CHECK_AS(UsageError, !data::find_utf8_error(text),
                 "--{} {}: is not UTF-8, which config.json needs{}", flag, text,
                 may_name_a_file ? "; a file must be renamed or linked to" : "");
  if (auto* const* place = std::get_if<int64_t*>(&s.place)) {
    int64_t value = 0;
    good = parse_number(text, value) && in_range(s, static_cast<double>(value));
    if (good) **place = value;
  } else if (auto* const* real = std::get_if<double*>(&s.place)) {
    double value = 0;
    SLOPE_CHECK_AS(UsageError, !is_out_of_range<double>(text), "--{} {}: {}; expected {}", flag,
                   text, out_of_range_text<double>, kind(s));
    good = parse_number(text, value) && in_range(s, value);
    if (good) **real = value;
  } else if (auto* const* flag = std::get_if<bool*>(&s.place)) {
    good = text == "true" || text == "false";
    if (good) **flag = text == "true";
  } else {
    good =
        s.choices.empty() || std::find(s.choices.begin(), s.choices.end(), text) != s.choices.end();
    if (good) *std::get<std::string*>(s.place) = text;
  }
  SLOPE_CHECK_AS(UsageError, good, "--{} {}: expected {}", flag, quoted_if_empty(text), kind(s));
}

std::string to_json(const Settings& settings, int indent) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Setting& s : settings) json[s.key] = value_of(s);
  return json_text(json, indent);
}

namespace {

std::vector<std::string> set_from_json(const Settings& settings, const nlohmann::ordered_json& json,
                                       const std::string& file) {
  SLOPE_CHECK_INPUT(json.is_object(), "{}: expected a JSON object of settings", file);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    const Setting* at = models::find_setting(settings, key);
    SLOPE_CHECK_INPUT(at, "{}: unknown key \"{}\"{}", file, visible(brief(key)),
                      did_you_mean(key, keys_of(settings)));
    bool good = false;
    if (auto* const* place = std::get_if<int64_t*>(&at->place)) {
      good = value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX) &&
             in_range(*at, value.get<double>());
      if (good) **place = value.get<int64_t>();
    } else if (auto* const* real = std::get_if<double*>(&at->place)) {
      good = value.is_number() && std::isfinite(value.get<double>()) &&
             in_range(*at, value.get<double>());
      if (good) **real = value.get<double>();
    } else if (auto* const* flag = std::get_if<bool*>(&at->place)) {
      good = value.is_boolean();
      if (good) **flag = value.get<bool>();
    } else {
      good = value.is_string() && value.get<std::string>().find('\0') == std::string::npos &&
             (at->choices.empty() || std::find(at->choices.begin(), at->choices.end(),
                                               value.get<std::string>()) != at->choices.end());
      if (good) *std::get<std::string*>(at->place) = value.get<std::string>();
    }
    SLOPE_CHECK_INPUT(good, "{}: \"{}\" must be {}, got {}", file, key, kind(*at),
                      brief(json_text(value)));
    keys.push_back(key);
  }
  return keys;
}

std::string model_in(const nlohmann::ordered_json& json) {
  if (!json.is_object() || !json.contains("model")) return "";
  const nlohmann::ordered_json& model = json["model"];
  // cut off for messages: no model has so long a name
  return brief(model.is_string() ? model.get<std::string>() : json_text(model));
}

}  // namespace

std::vector<std::string> from_json(const Settings& settings, const std::string& text,
                                   const std::string& file) {
  return set_from_json(settings, parse_json(text, file), file);
}

std::string values_before(const Settings& settings) {
  nlohmann::ordered_json json = parse_json(to_json(settings), "the settings");
  for (const Setting& s : settings)
    if (!s.absent.empty()) json[s.key] = parse_json(s.absent, s.key);
  return json_text(json);
}

void refuse_export(const std::string& text, const std::string& file) {
  const nlohmann::ordered_json json = parse_json(text, file);
  SLOPE_CHECK_INPUT(!json.is_object() || !json.contains("tied") || !json.contains("modules"),
                    "{}: belongs to a model that was exported for PyTorch; name the run itself",
                    file);
}

void from_saved_json(const Settings& settings, const std::string& text, const std::string& file) {
  nlohmann::ordered_json json = parse_json(text, file);
  if (json.is_object())
    for (const Setting& s : settings)
      if (!s.absent.empty() && !json.contains(s.key)) json[s.key] = parse_json(s.absent, s.key);
  set_from_json(settings, json, file);
}

std::string model_of(const std::string& text, const std::string& file) {
  return model_in(parse_json(text, file));
}

std::string completed(const std::string& before, const std::string& values) {
  nlohmann::ordered_json all = parse_json(before, "the run's settings");
  SLOPE_CHECK_INPUT(all.is_object(), "the run's settings: expected a JSON object, got {}",
                    brief(json_text(all)));
  const nlohmann::ordered_json given = parse_json(values, "the values before");
  for (const auto& [key, value] : given.items())
    if (!all.contains(key)) all[key] = value;
  return json_text(all);
}

namespace {

// `words`: the key is {0}, the earlier value {1}, the present one {2}.
std::vector<std::string> different(const Settings& now, const std::string& text, bool may_change,
                                   fmt::string_view words = "{0} was {1}, is {2}") {
  const nlohmann::ordered_json before = parse_json(text, "the run's settings");
  std::vector<std::string> result;
  for (const Setting& s : now) {
    const std::string was = before.contains(s.key) ? json_text(before.at(s.key)) : "not set";
    if (s.may_change == may_change && was != to_text(s))
      result.push_back(fmt::format(fmt::runtime(words), s.key, brief(was), brief(to_text(s))));
  }
  return result;
}

}  // namespace

std::vector<std::string> differences(const Settings& now, const std::string& before) {
  return different(now, before, false);
}
std::vector<std::string> changes(const Settings& now, const std::string& before) {
  return different(now, before, true);
}
std::vector<std::string> left_as_before(const Settings& now, const std::string& before) {
  return different(now, before, true, "{0} stays {1}");
}

}  // namespace slope::train
