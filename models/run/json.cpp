#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/text/visible.h>
#include <slope/core/text/visible_json.h>
#include <slope/models/run/json.h>

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace slope::train {

using Json = nlohmann::ordered_json;

static void check_size(int64_t bytes, const std::string& file) {
  SLOPE_CHECK_INPUT(bytes <= most_json_bytes,
                    "{}: has {} bytes; settings or a state have at most {}", file, bytes,
                    most_json_bytes);
}

std::string read_json_text(const std::string& file) {
  check_size(FileReader(file).bytes(), file);
  return read_file(file, most_json_bytes);
}

void check_json_size(const std::string& text, const std::string& file) {
  check_size(static_cast<int64_t>(text.size()), file);
}

std::string read_given_json(const std::string& file) {
  constexpr size_t most_bytes = most_json_bytes;
  InputStream stream(file);
  if (stream.is_file() && file != "-") return read_json_text(file);
  std::string text;
  while (text.size() <= most_bytes && stream.read_some(text)) {
  }
  SLOPE_CHECK_INPUT(text.size() <= most_bytes, "{}: has more than {} bytes; settings have fewer",
                    stream.name(), most_bytes);
  return text;
}

template <class Json>
static Json parse(const std::string& text, const std::string& file) {
  const size_t nul = text.find('\0');  // which the library would take for the end of the text
  SLOPE_CHECK_INPUT(nul == text.npos, "{}: not valid JSON at byte {}", file, nul + 1);
  std::vector<std::set<std::string>> keys;
  std::string duplicate;
  size_t depth = 0;
  using Event = typename Json::parse_event_t;
  const auto watch = [&](int, Event event, Json& parsed) {
    if (event == Event::object_start || event == Event::array_start)
      SLOPE_CHECK_INPUT(++depth <= 64, "{}: nested deeper than 64 levels", file);
    if (event == Event::object_end || event == Event::array_end) --depth;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.template get<std::string>()).second)
      duplicate = parsed.template get<std::string>();
    return true;
  };
  try {
    Json json = Json::parse(text, watch);
    SLOPE_CHECK_INPUT(duplicate.empty(), "{}: key \"{}\" appears twice", file,
                      visible(brief(duplicate)));
    return json;
  } catch (const typename Json::parse_error& e) {
    throw InputError(fmt::format("{}: not valid JSON at byte {}", file, e.byte));
  } catch (const typename Json::out_of_range&) {
    throw InputError(fmt::format("{}: holds a number that is too large", file));
  }
}

Json parse_json(const std::string& text, const std::string& file) {
  return parse<Json>(text, file);
}
nlohmann::json parse_unordered_json(const std::string& text, const std::string& file) {
  return parse<nlohmann::json>(text, file);
}

std::string json_text(const Json& json, int indent) {
  return visible_json(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string json_line(const std::vector<JsonField>& fields) {
  Json line = Json::object();
  for (const JsonField& field : fields)
    std::visit([&](auto value) { line[field.name] = value; }, field.value);
  return json_text(line);
}

}  // namespace slope::train
