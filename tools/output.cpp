// The command's output: either all of it is written or the command fails; it never replaces a file
// of a run or one that is read.
#include <slope/models/run/run_folder.h>
#include <slope/tools/command.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

namespace slope::tools {

namespace {

void check_standard_output() {
  SLOPE_CHECK_AS(IoError, !std::ferror(stdout), "standard output could not be written");
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code missing;
  return std::filesystem::equivalent(a, b, missing);
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

void refuse_to_replace(const char* flag, const std::string& out,
                       const std::vector<std::string>& read) {
  SLOPE_CHECK_AS(UsageError, !train::is_of_run(out), "{} {}: belongs to a run; choose another name",
                 flag, out);
  for (const std::string& file : read)
    SLOPE_CHECK_AS(UsageError, !is_same_file(out, file),
                   "{} {}: would replace what is read; choose another name", flag, out);
}

}  // namespace slope::tools
