// The command's output: either all of it is written, or the command fails.
#include <slope/tools/command.h>

#include <cstdio>

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

}  // namespace slope::tools
