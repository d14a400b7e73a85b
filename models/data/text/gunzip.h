// Unpacks gzip data in memory with zlib: all members, checking their checksums and a limit on the
// unpacked size.
#pragma once

#include <slope/models/data/text/read_text.h>

namespace slope::data {

// never the start of UTF-8 text
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

// InputError, which names the file, if the data are corrupt, truncated or followed by something
// else, or exceed the limits.
std::string gunzip(std::string_view bytes, const std::string& file, const TextLimits& limits = {});

// The text of a file: unpacked if its bytes are gzip, else as it is. InputError also if the name
// ends in .gz and the bytes are not gzip.
std::string unpacked(std::string bytes, const std::string& file, const TextLimits& limits = {});

}  // namespace slope::data
