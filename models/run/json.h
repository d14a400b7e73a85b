// JSON: read strictly, written in one place (the library's parser and writer are templates that
// take seconds a file to compile).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>

namespace slope::train {

std::string read_json_text(const std::string& file);  // at most 16 MiB
// InputError naming `file`, where `text` is from: a syntax error with its place, a key that appears
// twice, deeper nesting than 64.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);

// `indent` spaces a level, or all on one line (-1). What is no UTF-8 becomes U+FFFD, what is not
// finite null.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

struct JsonField {
  const char* name;
  std::variant<int64_t, double, bool> value;
};
// an object of them in their order, without '\n'
std::string json_line(std::initializer_list<JsonField> fields);

}  // namespace slope::train
