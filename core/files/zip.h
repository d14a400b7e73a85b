// Zip archives whose entries are stored as they are, without compression: what numpy.savez writes.
// Everything is checked before an entry is used: no entry lies outside the file or overlaps
// another, so that a file cannot claim more than it has, and each matches its checksum. InputError
// names the first malformation. Compressed or encrypted entries are not read, nor are zip64
// archives, which numpy.savez writes from 2 GB on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slope {

struct ZipEntry {
  std::string name;
  std::string_view bytes;  // in the archive that was given
};

// In the order of the archive's directory; messages begin with `where`.
std::vector<ZipEntry> parse_zip(std::string_view archive, const std::string& where);
// The same entries always give the same bytes. UsageError if the archive reaches 4 GB, or a name
// has more than 65535 bytes. Names are marked as UTF-8.
std::string format_zip(const std::vector<ZipEntry>& entries);

uint32_t crc32(std::string_view bytes);  // of zip: reflected 0xEDB88320

}  // namespace slope
