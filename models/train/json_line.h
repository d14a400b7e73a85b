// One line of JSON from names and figures: what the log and `slope eval --json` write.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>

namespace slope::train {

struct Field {
  const char* name;
  std::variant<int64_t, double, bool> value;  // null where it is not finite
};

std::string json_line(std::initializer_list<Field> fields);  // in their order, without '\n'

}  // namespace slope::train
