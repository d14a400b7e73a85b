#include <slope/models/train/json_line.h>

#include <nlohmann/json.hpp>

namespace slope::train {

std::string json_line(std::initializer_list<Field> fields) {
  nlohmann::ordered_json line = nlohmann::ordered_json::object();
  for (const Field& field : fields) std::visit([&](auto value) { line[field.name] = value; }, field.value);
  return line.dump();
}

}  // namespace slope::train
