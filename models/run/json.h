// JSON: parsed strictly and written in one place (the library's parser and writer are templates
// that take seconds a file to compile).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace slope::train {

constexpr int64_t most_json_bytes = 64 << 10;  // of settings or a state
// Reads settings or a state; InputError, naming `file`, if it is larger.
std::string read_json_text(const std::string& file);
void check_json_size(const std::string& text, const std::string& file);  // the same check of a text
std::string read_given_json(const std::string& file);  // also from a pipe, or standard input (-)
// InputError, naming `file` (where `text` is from), for a syntax error (with its position), a
// duplicate key, a number that is too large, or nesting deeper than 64 levels.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);
// The same, without the order of the keys: fast for any number of them.
nlohmann::json parse_unordered_json(const std::string& text, const std::string& file);

// `indent` spaces per level, or everything on one line (-1). Invalid UTF-8 becomes U+FFFD; numbers
// that are not finite become null.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

struct JsonField {
  std::string name;
  std::variant<int64_t, double, bool> value;
};
// one object with these fields, in their order, without '\n'
std::string json_line(const std::vector<JsonField>& fields);

}  // namespace slope::train
