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

}  // namespace slope
