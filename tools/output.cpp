// The command's output: either all of it is written, or the command fails.
#include <slope/tools/command.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace slope::tools {

namespace {

void check_standard_output() {
  SLOPE_CHECK_AS(IoError, !std::ferror(stdout), "standard output could not be written");
}

}  // namespace

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  check_standard_output();
}
void flush() {
  std::fflush(stdout);
  check_standard_output();
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code missing;
  return std::filesystem::equivalent(a, b, missing);
}

}  // namespace slope::tools
