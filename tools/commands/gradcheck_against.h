// `slope gradcheck NAME --against pytorch`: the cases in which the function is one call, given to
// PyTorch's function of the same name in a Python process: values and gradients beside ours.
#pragma once

#include <string>
#include <vector>

namespace slope::tools {

struct Against {
  std::string text;  // a line for each function, and for each case that differs
  bool ok = true;    // nothing differs; also where PyTorch is missing, which the text says
};
// Python is the program that SLOPE_PYTHON names, or python3.
Against against_pytorch(const std::vector<std::string>& functions);

}  // namespace slope::tools
