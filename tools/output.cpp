// The command's output: either all of it is written or the command fails; it never replaces a file
// of a run or one that is read.
#include <slope/models/run/run_folder.h>
#include <slope/tools/command.h>

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
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

// whether standard input is that file: `slope translate run --attention a.svg < a.svg`
bool is_standard_input(const std::string& file) {
  struct stat named = {}, read = {};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(STDIN_FILENO, &read) == 0 &&
         S_ISREG(read.st_mode) && named.st_dev == read.st_dev && named.st_ino == read.st_ino;
}

}  // namespace

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  check_standard_output();
}

void print_text(const std::string& text) {
  static const bool to_terminal = isatty(STDOUT_FILENO) != 0;
  if (!to_terminal) return print(text);
  std::string shown;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of("\n\t"), rest.size() - 1);
    const bool is_break = rest[end] == '\n' || rest[end] == '\t';
    shown += visible(rest.substr(0, is_break ? end : end + 1));
    if (is_break) shown += rest[end];
    rest.remove_prefix(end + 1);
  }
  print(shown);
}

void flush() {
  std::fflush(stdout);
  check_standard_output();
}

void refuse_to_replace(const char* flag, const std::string& out,
                       const std::vector<std::string>& read) {
  SLOPE_CHECK_AS(UsageError, !train::is_of_run(out), "{} {}: belongs to a run; choose another name",
                 flag, out);
  SLOPE_CHECK_AS(UsageError, !is_standard_input(out),
                 "{} {}: would replace what standard input reads; choose another name", flag, out);
  for (const std::string& file : read)
    SLOPE_CHECK_AS(UsageError, !is_same_file(out, file),
                   "{} {}: would replace what is read; choose another name", flag, out);
}

}  // namespace slope::tools
