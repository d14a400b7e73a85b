// `slope gradcheck NAME --against pytorch`: takes the cases that are a single call of the function,
// makes the same calls with PyTorch in a Python process, and compares values and gradients.
#pragma once

#include <string>
#include <vector>

namespace slope::tools {

struct Against {
  std::string text;  // a line for each function, and for each case that differs
  bool ok = true;    // nothing differs; also true if PyTorch is missing: `text` says so
};
// Python is the program that SLOPE_PYTHON names, or python3.
Against against_pytorch(const std::vector<std::string>& functions);

}  // namespace slope::tools
