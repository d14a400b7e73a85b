#include <slope/nn/functional/layers.h>
#include <slope/nn/functional/one_hot.h>

#include <algorithm>

namespace slope::nn {

Tensor one_hot(const Tensor& index, int64_t classes) {
  SLOPE_CHECK_DTYPE(index.dtype() == i64, "one_hot: needs int64 classes, got {}",
                    name(index.dtype()));
  if (classes == -1) {  // not given; a negative class is then outside [0, 1)
    const int64_t largest = index.numel() == 0 ? -1 : max(index).item<int64_t>();
    classes = std::min(largest, INT64_MAX - 1) + 1;
    if (largest < 0 && index.numel() > 0) classes = 1;
  }
  detail::check_classes("one_hot", index, 0, classes);
  SLOPE_CHECK_AS(UsageError, classes > 0, "one_hot: needs the number of classes");
  return to(index.unsqueeze(-1) == arange(classes), i64);
}

}  // namespace slope::nn
