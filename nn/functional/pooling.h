// Pooling over windows of the last dim, unpooling and padding, under the names of
// torch.nn.functional: compositions of operations. x is (N, C, L) or (C, L).
#pragma once

#include <slope/autograd/ops.h>

namespace slope::nn {

// Windows of `kernel` elements, one every `stride` (0: every `kernel`). ceil_mode: also a last
// window that the end cuts off, if it starts within x or its padding.
struct AvgPoolOptions {
  int64_t stride = 0, padding = 0;  // zeros on both sides
  bool ceil_mode = false;
  bool count_include_pad = true;  // false: the mean is over elements of x alone
};
[[nodiscard]] Tensor avg_pool1d(const Tensor& x, int64_t kernel,
                                const AvgPoolOptions& options = {});
struct MaxPoolOptions {
  // padding, at most half of the kernel, is never the largest
  int64_t stride = 0, padding = 0, dilation = 1;
  bool ceil_mode = false;
};
[[nodiscard]] Tensor max_pool1d(const Tensor& x, int64_t kernel,
                                const MaxPoolOptions& options = {});
// indices: positions in the last dim of x, the first among equals
[[nodiscard]] ValuesAndIndices max_pool1d_with_indices(const Tensor& x, int64_t kernel,
                                                       const MaxPoolOptions& options = {});
// Zeros with x's elements at the indices of max_pool1d_with_indices: (…, L') -> (…, length). Of the
// elements with the same index (windows may overlap) the last counts, and it alone gets a gradient;
// PyTorch hands the gradient to all of them.
[[nodiscard]] Tensor max_unpool1d(const Tensor& x, const Tensor& indices, int64_t length);
// (sum of x^p)^(1/p); as in PyTorch, nan where the sum is negative, unless 1/p is an integer.
// p may be infinity: the largest |x| of each window. The powers and their sum must be in the
// dtype's range.
struct LpPoolOptions {
  int64_t stride = 0;
  bool ceil_mode = false;
};
[[nodiscard]] Tensor lp_pool1d(const Tensor& x, double p, int64_t kernel,
                               const LpPoolOptions& options = {});
// (…, L) -> (…, L'), L' = size; window i is [floor(i L / L'), ceil((i + 1) L / L'))
[[nodiscard]] Tensor adaptive_avg_pool1d(const Tensor& x, int64_t size);
[[nodiscard]] Tensor adaptive_max_pool1d(const Tensor& x, int64_t size);
[[nodiscard]] ValuesAndIndices adaptive_max_pool1d_with_indices(const Tensor& x, int64_t size);

// New elements at both ends of the last dim; a negative width cuts elements off. `reflect` mirrors
// x at its end elements without repeating them, `replicate` repeats them, `circular` continues with
// what is left of x, from its other end.
enum class PadMode { reflect, replicate, circular };
[[nodiscard]] Tensor pad(const Tensor& x, const Dims& before_and_after, PadMode mode);

}  // namespace slope::nn
