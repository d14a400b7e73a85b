#include <slope/core/text/json.h>
#include <slope/core/text/parse_number.h>
#include <slope/tools/explorer/fields.h>

#include <algorithm>

namespace slope::explorer {

Fields::Fields(const std::string& json) {
  JsonReader reader(json, "explore");
  reader.object([&](const std::string& key) {
    if (reader.peek() == '{')
      reader.object([&](const std::string& name) { object_[name] = reader.string(); });
    else
      texts_[key] = reader.peek() == '"' ? reader.string() : std::to_string(reader.integer());
  });
}

std::string Fields::text(const char* key, const std::string& otherwise) const {
  const auto found = texts_.find(key);
  return found == texts_.end() ? otherwise : found->second;
}

int64_t Fields::integer(const char* key, int64_t otherwise, int64_t least, int64_t most) const {
  if (!has(key)) return otherwise;
  int64_t n = 0;
  SLOPE_CHECK_INPUT(parse_number(std::string_view(texts_.at(key)), n) && n >= least && n <= most,
                    "explore: {} has to be an integer from {} to {}, got {}", key, least, most,
                    JsonReader::quoted(texts_.at(key)));
  return n;
}

double Fields::number(const char* key, double otherwise) const {
  if (!has(key)) return otherwise;
  const std::vector<double> all = numbers(key);
  SLOPE_CHECK_INPUT(all.size() == 1, "explore: {} takes one number, got {}", key, all.size());
  return all[0];
}

std::vector<double> Fields::numbers(const char* key) const { return numbers_in(text(key)); }

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string item = text.substr(at, end - at);
    double x = 0;
    SLOPE_CHECK_INPUT(!is_out_of_range<double>(item), "explore: {} {}", item,
                      out_of_range_text<double>);
    SLOPE_CHECK_INPUT(parse_number(item, x), "explore: {} is no number", JsonReader::quoted(item));
    numbers.push_back(x);
    at = end + 1;
  }
  return numbers;
}

}  // namespace slope::explorer
