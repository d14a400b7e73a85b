// Attributes: plain values that an operation saves by name, beside its tensors. Graph export shows
// them, as it could not show what a rule captured.
#pragma once

#include <slope/core/tensor/dims.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace slope {

struct Attribute {
  const char* name;
  std::variant<int64_t, double, Dims, std::string, std::shared_ptr<void>> value;
};
using Attributes = std::vector<Attribute>;

}  // namespace slope
