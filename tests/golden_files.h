// Where the golden files lie, and their text.
#pragma once

#include <slope/tests/file_text.h>

#include <string>

namespace slope::test {

inline std::string golden_path(const std::string& name) {
  return std::string(SLOPE_GOLDEN) + "/" + name;
}

inline std::string golden_text(const std::string& name) { return file_text(golden_path(name)); }

}  // namespace slope::test
