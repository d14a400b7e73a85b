#include <slope/core/error.h>
#include <slope/models/train/json.h>
#include <slope/models/train/run_state.h>

#include <nlohmann/json.hpp>

namespace slope::train {

namespace {
// The fields of state.json, once, for writing and reading.
template <class State, class F>
void for_each_field(State& s, F f) {
  f("step", s.step), f("position", s.position), f("log_bytes", s.log_bytes), f("best_step", s.best_step), f("best_loss", s.best_loss),
      f("stale", s.stale);
  f("window_loss", s.window_loss), f("window_targets", s.window_targets), f("fingerprint", s.fingerprint), f("numerics", s.numerics);
}
}  // namespace

std::string RunState::text() const {
  nlohmann::ordered_json json;
  for_each_field(*this, [&](const char* key, const auto& value) { json[key] = value; });
  json["settings"] = parse_json(settings, "settings");
  return json_text(json, 1) + "\n";
}

RunState RunState::read(const std::string& file) {
  const nlohmann::ordered_json json = parse_json(read_json_text(file), file);
  RunState state;
  try {
    for_each_field(state, [&]<class T>(const char* key, T& value) {
      const nlohmann::ordered_json& found = json.at(key);
      if constexpr (std::is_same_v<T, int64_t>)
        SLOPE_CHECK_INPUT(found.is_number_integer() && found.get<int64_t>() >= 0, "{}: \"{}\" must be a whole number of at least 0, got {}",
                          file, key, json_text(found).substr(0, 80));
      found.get_to(value);
    });
    state.settings = json_text(json.at("settings"));
  } catch (const nlohmann::ordered_json::exception& e) {
    throw InputError(fmt::format("{}: not the state of a run ({})", file, e.what()));
  }
  return state;
}

}  // namespace slope::train
