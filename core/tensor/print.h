// Text of a tensor, equal to that of torch.Tensor to the byte: one column width for all elements,
// scientific where the magnitudes differ by more than 1000, "1." where all floats are whole, the
// edges alone beyond 1000 elements. Options have PyTorch's names and defaults
// (torch.set_printoptions); they are arguments here, not a global state.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace slope {

struct PrintOptions {
  int precision = 4;         // digits behind the point
  int64_t threshold = 1000;  // more elements than this: only the edges of each dim
  int64_t edgeitems = 3;
  int64_t linewidth = 80;
  std::optional<bool> sci_mode;  // chosen by the values where it is not said
};

// "tensor([[1., 2.]], dtype=torch.float64)". `suffix` comes last; without one what the tape knows,
// "requires_grad=True" or "grad_fn=<AddBackward0>", does.
std::string to_string(const Tensor& tensor, const PrintOptions& options = {},
                      std::string_view suffix = {});
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace slope
