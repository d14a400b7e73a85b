// The flags for text that a model cannot take as it is, and the message about what was left out.
#pragma once

#include <slope/models/data/text/utf8.h>
#include <slope/tools/command.h>

#include <cstdio>

namespace slope::tools {

inline void add_unknown_characters(Command& command, std::string& how) {
  command
      .option("--unknown-characters", how,
              "characters that a language model has not learned: refuse or skip")
      .takes("HOW")
      .shows_default();
}

inline void add_long_lines(Command& command, std::string& how) {
  command
      .option(
          "--long-lines", how,
          "a line longer than the model's positions: refuse, crop, or skip (print an empty line)")
      .takes("HOW")
      .shows_default();
}

// UsageError that names the flag unless its text is UTF-8.
inline void check_flag_utf8(const char* flag, const std::string& text) {
  const auto fault = data::find_utf8_error(text);
  SLOPE_CHECK_AS(UsageError, !fault, "{}: not valid UTF-8 at byte {}: {}", flag, fault->offset,
                 fault->reason);
}

// Prints, if anything was left out, one line to standard error: "slope: FILE: skipped 2 lines
// longer than …".
inline void tell_left_out(const std::string& file, const char* done, int64_t count,
                          const char* thing, const std::string& which = "") {
  if (count > 0)
    std::fputs(fmt::format("slope: {}: {} {} {}{}{}\n", visible(file), done, count, thing,
                           count == 1 ? "" : "s", which)
                   .c_str(),
               stderr);
}

}  // namespace slope::tools
