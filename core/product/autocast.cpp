#include <slope/core/product/autocast.h>

namespace slope {

static thread_local DType mode = f32;

DType autocast_dtype() { return mode; }
Autocast::Autocast(DType dtype) : before_(mode) {
  SLOPE_CHECK_DTYPE(dtype == f32 || dtype == bf16,
                    "autocast: the dtype must be float32 or bfloat16, got {}", name(dtype));
  mode = dtype;
}
Autocast::~Autocast() { mode = before_; }

DType precision_named(std::string_view word) {
  SLOPE_CHECK_AS(UsageError, word == "f32" || word == "bf16",
                 "--precision {}: expected one of f32, bf16", word);
  return word == "bf16" ? bf16 : f32;
}

}  // namespace slope
