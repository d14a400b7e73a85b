// gzip in memory, with zlib: every member of the file, its checksums, and a limit to its growth.
#pragma once

#include <slope/models/data/read_text.h>

namespace slope::data {

// never the start of UTF-8 text
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

// InputError, naming the file, where the data are corrupt, cut off, followed by something else, or
// grow beyond the limits.
std::string gunzip(std::string_view bytes, const std::string& file, const TextLimits& limits = {});

}  // namespace slope::data
