#include <slope/models/run/precision.h>

namespace slope::train {

DType precision_named(std::string_view name) {
  SLOPE_CHECK_AS(UsageError, name == "f32" || name == "bf16",
                 "--precision {}: expected one of f32, bf16", name);
  return name == "bf16" ? bf16 : f32;
}

}  // namespace slope::train
