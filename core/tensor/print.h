// Text of a tensor, byte for byte that of torch.Tensor: one column width for all elements,
// scientific where magnitudes differ by a factor of more than 1000 or are extreme, "1." where all
// floats are integers, only the edges of tensors of more than 1000 elements. Options have PyTorch's
// names and defaults (torch.set_printoptions), but are arguments, not global state.
#pragma once

#include <slope/core/tensor/tensor.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace slope {

struct PrintOptions {
  int precision = 4;         // digits after the point
  int64_t threshold = 1000;  // more elements than this: only the edges of each dim
  int64_t edgeitems = 3;
  int64_t linewidth = 80;
  std::optional<bool> sci_mode;  // if empty, chosen by the values
};

// "tensor([[1., 2.]], dtype=torch.float64)". `suffix` comes last; if it is empty, what the tape
// knows is appended: "requires_grad=True" or "grad_fn=<AddBackward0>".
std::string to_string(const Tensor& tensor, const PrintOptions& options = {},
                      std::string_view suffix = {});
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace slope
