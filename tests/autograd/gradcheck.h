// Shared by the tests of gradcheck.
#pragma once

#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/ops.h>
#include <slope/tests/leaf.h>

#include <algorithm>

namespace slope::test {

inline const GradcheckOptions quiet{.raise_exception = false, .find_callers = false};

inline bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

}  // namespace slope::test
