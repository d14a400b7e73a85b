#include <slope/core/error.h>
#include <slope/core/file_reader.h>
#include <slope/models/train/parse_json.h>

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace slope::train {

std::string read_json_text(const std::string& file) { return read_file(file, int64_t{16} << 20); }

nlohmann::json parse_json(const std::string& text, const std::string& file) {
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

}  // namespace slope::train
