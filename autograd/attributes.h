// Attributes: plain values that an operation saves by name, beside its tensors. Unlike the captures
// of a lambda, they can be shown by graph export.
#pragma once

#include <slope/core/tensor/dims.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace slope {

struct Attribute {
  const char* name;
  std::variant<int64_t, double, Dims, std::string, std::shared_ptr<void>> value;
};
using Attributes = std::vector<Attribute>;

// null if there is none of that name
inline const Attribute* find(const Attributes& attributes, std::string_view name) {
  const auto at = std::ranges::find(attributes, name, &Attribute::name);
  return at == attributes.end() ? nullptr : &*at;
}

}  // namespace slope
