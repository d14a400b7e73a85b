#include <slope/core/error.h>
#include <slope/core/file_reader.h>
#include <slope/core/spelling.h>
#include <slope/models/train/settings.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <set>

namespace slope::train {

namespace {

std::string kind(const Setting& s) {
  constexpr const char* kinds[] = {"a whole number", "a number", "true or false", "a string"};
  if (!s.choices.empty()) return fmt::format("one of {}", fmt::join(s.choices, ", "));
  const bool number = s.place.index() < 2;
  std::string text = kinds[s.place.index()];
  if (number && s.least > -1e300) text += fmt::format(" of at least {}", s.least);
  if (number && s.most < 1e300) text += fmt::format(", at most {}", s.most);
  return text;
}

bool in_range(const Setting& s, double value) { return value >= s.least && value <= s.most; }

std::vector<std::string> keys_of(const Settings& settings) {
  std::vector<std::string> keys;
  for (const Setting& s : settings) keys.push_back(s.key);
  return keys;
}

template <class Number>
bool parse(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

nlohmann::ordered_json value_of(const Setting& s) {
  return std::visit([](auto* place) { return nlohmann::ordered_json(*place); }, s.place);
}

}  // namespace

std::string to_text(const Setting& setting) { return value_of(setting).dump(); }

void set_from_text(const Setting& s, const std::string& text) {
  bool good = false;
  if (auto* const* place = std::get_if<int64_t*>(&s.place)) {
    int64_t value = 0;
    good = parse(text, value) && in_range(s, static_cast<double>(value));
    if (good) **place = value;
  } else if (auto* const* real = std::get_if<double*>(&s.place)) {
    double value = 0;
    good = parse(text, value) && std::isfinite(value) && in_range(s, value);
    if (good) **real = value;
  } else if (auto* const* flag = std::get_if<bool*>(&s.place)) {
    good = text == "true" || text == "false";
    if (good) **flag = text == "true";
  } else {
    good = s.choices.empty() || std::find(s.choices.begin(), s.choices.end(), text) != s.choices.end();
    if (good) *std::get<std::string*>(s.place) = text;
  }
  std::string flag = s.key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  SLOPE_CHECK_AS(UsageError, good, "--{} {}: expected {}", flag, text, kind(s));
}

nlohmann::ordered_json to_json(const Settings& settings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Setting& s : settings) json[s.key] = value_of(s);
  return json;
}

void from_json(const Settings& settings, const nlohmann::json& json, const std::string& file) {
  SLOPE_CHECK_INPUT(json.is_object(), "{}: expected a JSON object of settings", file);
  for (const auto& [key, value] : json.items()) {
    const auto at = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
    SLOPE_CHECK_INPUT(at != settings.end(), "{}: unknown key \"{}\"{}", file, key, did_you_mean(key, keys_of(settings)));
    bool good = false;
    if (auto* const* place = std::get_if<int64_t*>(&at->place)) {
      good = value.is_number_integer() && (!value.is_number_unsigned() || value.get<uint64_t>() <= INT64_MAX) &&
             in_range(*at, value.get<double>());
      if (good) **place = value.get<int64_t>();
    } else if (auto* const* real = std::get_if<double*>(&at->place)) {
      good = value.is_number() && std::isfinite(value.get<double>()) && in_range(*at, value.get<double>());
      if (good) **real = value.get<double>();
    } else if (auto* const* flag = std::get_if<bool*>(&at->place)) {
      good = value.is_boolean();
      if (good) **flag = value.get<bool>();
    } else {
      good = value.is_string() &&
             (at->choices.empty() || std::find(at->choices.begin(), at->choices.end(), value.get<std::string>()) != at->choices.end());
      if (good) *std::get<std::string*>(at->place) = value.get<std::string>();
    }
    SLOPE_CHECK_INPUT(good, "{}: \"{}\" must be {}, got {}", file, key, kind(*at),
                      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 80));
  }
}

void check_model(const nlohmann::json& config, const std::string& model, const std::string& file) {
  const nlohmann::json found = config.is_object() ? config.value("model", nlohmann::json(model)) : nlohmann::json(model);
  SLOPE_CHECK_INPUT(found == model, "{}: belongs to a model of another kind: {} where {} is needed", file,
                    found.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 80), model);
}

nlohmann::json read_json(const std::string& file) {
  const std::string text = read_file(file, int64_t{16} << 20);
  std::vector<std::set<std::string>> keys;
  std::string duplicate;
  size_t depth = 0;
  const auto watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start)
      SLOPE_CHECK_INPUT(++depth <= 64, "{}: nested deeper than 64 levels", file);
    if (event == Event::object_end || event == Event::array_end) --depth;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) duplicate = parsed.get<std::string>();
    return true;
  };
  try {
    nlohmann::json json = nlohmann::json::parse(text, watch);
    SLOPE_CHECK_INPUT(duplicate.empty(), "{}: key \"{}\" appears twice", file, duplicate);
    return json;
  } catch (const nlohmann::json::parse_error& e) {
    throw InputError(fmt::format("{}: not valid JSON at byte {}", file, e.byte));
  }
}

std::vector<std::string> differences(const Settings& now, const nlohmann::json& before) {
  std::vector<std::string> result;
  for (const Setting& s : now) {
    const std::string was = before.contains(s.key) ? before.at(s.key).dump() : "not set";
    if (!s.may_change && was != to_text(s)) result.push_back(fmt::format("{} was {}, is {}", s.key, was, to_text(s)));
  }
  return result;
}

std::string describe(const Settings& settings) {
  std::string text;
  for (const Setting& s : settings)
    text += fmt::format("  {:<18} {:<14} {}{}\n", s.key, to_text(s), s.help,
                        s.choices.empty() ? "" : fmt::format(" ({})", fmt::join(s.choices, ", ")));
  return text;
}

}  // namespace slope::train
