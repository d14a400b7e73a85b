// The precision of matrix products by the name that settings and flags give it.
#pragma once

#include <slope/core/tensor/dtype.h>

#include <string_view>

namespace slope::train {

DType precision_named(std::string_view name);  // f32, bf16; UsageError for other names

}  // namespace slope::train
