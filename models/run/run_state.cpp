#include <slope/core/error.h>
#include <slope/core/files/crc32c.h>
#include <slope/core/text/json.h>
#include <slope/core/text/visible.h>
#include <slope/models/run/json.h>
#include <slope/models/run/run_state.h>

#include <nlohmann/json.hpp>

#include <set>

namespace slope::train {

namespace {
// The fields of state.json, once, for writing and reading.
template <class State, class F>
void for_each_field(State& s, F f) {
  f("step", s.step), f("position", s.position), f("log_bytes", s.log_bytes),
      f("best_step", s.best_step), f("best_loss", s.best_loss), f("stale", s.stale),
      f("validation_due", s.validation_due);
  f("window_loss", s.window_loss), f("window_targets", s.window_targets),
      f("fingerprint", s.fingerprint), f("numerics", s.numerics);
}

// Those that older builds did not write; left out if empty.
template <class State, class F>
void for_each_later_field(State& s, F f) {
  f("crc32c of model.safetensors", s.model_checksum);
  f("crc32c of state.safetensors", s.optimizer_checksum);
}

// The largest number accepted: far more than any run reaches, and far from an overflow.
constexpr int64_t largest = 1'000'000'000'000'000;

// The first field is the checksum of the whole text, computed with zeros in its own place.
constexpr std::string_view checksum_field = "\"crc32c\": \"";

void check_sum(const std::string& text, const std::string& file) {
  const size_t field = text.find(checksum_field), at = field + checksum_field.size();
  // saved before there was a checksum
  if (field == text.npos || at + no_crc32c.size() > text.size()) return;
  const std::string recorded = text.substr(at, no_crc32c.size()),
                    found = fmt::format("{:08x}", crc32c_around(text, at));
  SLOPE_CHECK_INPUT(
      found == recorded,
      "{}: damaged, or changed since it was saved: its checksum is {}, recorded is {}", file, found,
      JsonReader::quoted(recorded));
}
}  // namespace

std::string RunState::text() const {
  nlohmann::ordered_json json = {{"crc32c", no_crc32c}};
  for_each_field(*this, [&](const char* key, const auto& value) { json[key] = value; });
  for_each_later_field(*this, [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  });
  json["settings"] = parse_json(settings, "settings");
  std::string text = json_text(json, 1) + "\n";
  const size_t at = text.find(checksum_field) + checksum_field.size();
  return text.replace(at, no_crc32c.size(), fmt::format("{:08x}", crc32c_around(text, at)));
}

RunState RunState::read(const std::string& file) {
  const std::string text = read_json_text(file);
  const nlohmann::ordered_json json = parse_json(text, file);
  const auto field = [&](const char* key) -> const nlohmann::ordered_json& {
    SLOPE_CHECK_INPUT(json.contains(key), "{}: not the state of a run (\"{}\" is missing)", file,
                      key);
    return json.at(key);
  };
  RunState state;
  std::set<std::string> known = {"crc32c", "settings"};
  for_each_field(state, [&]<class T>(const char* key, T& value) {
    known.insert(key);
    // saved before this field existed
    if (std::is_same_v<T, bool> && !json.contains(key)) return;
    const nlohmann::ordered_json& found = field(key);
    if constexpr (std::is_same_v<T, int64_t>)
      SLOPE_CHECK_INPUT(
          found.is_number_integer() && found.get<int64_t>() >= 0 && found.get<int64_t>() <= largest,
          "{}: \"{}\" must be an integer from 0 to {}, got {}", file, key, largest,
          brief(json_text(found)));
    try {
      found.get_to(value);
    } catch (const nlohmann::ordered_json::exception&) {  // of another type
      throw InputError(fmt::format("{}: \"{}\" cannot be {}", file, key, brief(json_text(found))));
    }
  });
  for_each_later_field(state, [&](const char* key, std::string& value) {
    known.insert(key);
    if (!json.contains(key)) return;
    SLOPE_CHECK_INPUT(json.at(key).is_string(), "{}: \"{}\" cannot be {}", file, key,
                      brief(json_text(json.at(key))));
    value = json.at(key).get<std::string>();
  });
  state.settings = json_text(field("settings"));
  for (const auto& [key, value] : json.items())
    SLOPE_CHECK_INPUT(known.contains(key), "{}: not the state of a run (unknown key {})", file,
                      JsonReader::quoted(key));
  check_sum(text, file);
  return state;
}

}  // namespace slope::train
