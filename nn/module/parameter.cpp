#include <slope/core/loops/copy.h>
#include <slope/nn/module/parameter.h>

namespace slope::nn {

Parameter::Parameter(const Tensor& value)
    : Tensor(value.is_contiguous() ? value.detach() : contiguous_copy(value)) {
  set_requires_grad();
}

void tie(Parameter& kept, Parameter& replaced) {
  SLOPE_CHECK_SHAPE(kept.shape() == replaced.shape(), "tie: shapes differ: {} and {}", kept.shape(),
                    replaced.shape());
  SLOPE_CHECK_DTYPE(kept.dtype() == replaced.dtype(), "tie: dtypes differ: {} and {}",
                    name(kept.dtype()), name(replaced.dtype()));
  static_cast<Tensor&>(replaced) = kept;
}

}  // namespace slope::nn
