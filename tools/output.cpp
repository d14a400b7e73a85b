// The command's output: complete, or an error; without characters that control a terminal.
#include <slope/tools/command.h>

#include <cstdio>

namespace slope::tools {

std::string visible(const std::string& text) {
  std::string line;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]),
               next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : ' ');
    const bool is_c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    if (c < ' ' || c == 0x7F || is_c1)
      line += fmt::format("\\x{:02x}", is_c1 ? next : c);
    else
      line += text[i];
    if (is_c1) ++i;
  }
  return line;
}

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
