// JSON as files hold it, read strictly.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace slope::train {

std::string read_json_text(const std::string& file);  // at most 16 MiB
// InputError naming `file`, where `text` is from: a syntax error with its place, a key that appears twice, deeper nesting than 64.
nlohmann::json parse_json(const std::string& text, const std::string& file);

}  // namespace slope::train
