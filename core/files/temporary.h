// The names under which files, folders and links are made until they are renamed: PATH.PID-N.tmp,
// always a name that was free, so that nothing of anybody else's is ever in the way.
#pragma once
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>

namespace slope {

// make(name) is false if that name is taken
template <class Make>
std::string make_temporary(const std::string& path, const Make& make) {
  for (int n = 0;; ++n)
    if (const std::string name = fmt::format("{}.{}-{}.tmp", path, ::getpid(), n); make(name))
      return name;
}

// For what a temporary was made: "loss.svg" of "loss.svg.77-0.tmp", and "last" of "last.tmp", as
// links and folders were named before. Empty for every other name.
struct MadeFor {
  std::string_view name;
  bool is_numbered = true;
};
std::optional<MadeFor> made_for(std::string_view temporary);
// an integer as slope writes it: without leading zeros, no longer than an int64_t
bool is_number(std::string_view text);

}  // namespace slope
#endif
