#include <slope/nn/functional/one_hot.h>

namespace slope::nn {

Tensor one_hot(const Tensor& index, int64_t classes) {
  SLOPE_CHECK_DTYPE(index.dtype() == i64, "one_hot: needs int64 classes, got {}",
                    name(index.dtype()));
  const bool given = classes != -1;
  if (!given) classes = index.numel() == 0 ? 0 : static_cast<int64_t>(max(index).item()) + 1;
  SLOPE_CHECK_INDEX(index.numel() == 0 || (min(index).item() >= 0 &&
                                           max(index).item() < static_cast<double>(classes)),
                    "one_hot: classes must be in [0, {})", classes);
  SLOPE_CHECK_AS(UsageError, classes > 0, "one_hot: needs the number of classes");
  return to(index.unsqueeze(-1) == arange(classes), i64);
}

}  // namespace slope::nn
