#include <slope/core/error.h>
#include <slope/core/files/zip.h>
#include <slope/core/text/visible.h>

#include <algorithm>
#include <array>
#include <set>

namespace slope {

namespace {

constexpr uint32_t local_signature = 0x04034b50, directory_signature = 0x02014b50,
                   end_signature = 0x06054b50, zip64_signature = 0x07064b50;
constexpr size_t local_bytes = 30, directory_bytes = 46, end_bytes = 22, zip64_bytes = 20,
                 longest_comment = 65535;
constexpr uint16_t version = 20, utf8_name = 1 << 11, encrypted = 1;

// A little-endian number of the archive; `at` is within it.
template <class T>
T number(std::string_view bytes, size_t at) {
  T value = 0;
  for (size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

template <class T>
void append(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i));
}

// Where the record at the end of the archive begins; only its comment follows it.
size_t find_end(std::string_view archive, const std::string& where) {
  for (size_t comment = 0; end_bytes + comment <= archive.size() && comment <= longest_comment;
       ++comment) {
    const size_t at = archive.size() - end_bytes - comment;
    if (number<uint32_t>(archive, at) == end_signature &&
        number<uint16_t>(archive, at + 20) == comment)
      return at;
  }
  throw InputError(fmt::format("{}: not a zip archive, or cut off", where));
}

// The bytes of an entry whose local header is at `at`, checked against the directory.
std::string_view stored_bytes(std::string_view archive, size_t at, const std::string& name,
                              size_t size, size_t limit, const std::string& where) {
  const bool has_header =
      at <= limit && limit - at >= local_bytes && number<uint32_t>(archive, at) == local_signature;
  SLOPE_CHECK_INPUT(has_header, "{}: entry {} does not begin where the directory says", where,
                    visible(name));
  const size_t name_bytes = number<uint16_t>(archive, at + 26),
               start = at + local_bytes + name_bytes + number<uint16_t>(archive, at + 28);
  SLOPE_CHECK_INPUT(start <= limit && size <= limit - start,
                    "{}: entry {} of {} bytes reaches beyond the archive's data", where,
                    visible(name), size);
  SLOPE_CHECK_INPUT(archive.substr(at + local_bytes, name_bytes) == name,
                    "{}: entry {} has another name in its local header", where, visible(name));
  return archive.substr(start, size);
}

}  // namespace

std::vector<ZipEntry> parse_zip(std::string_view archive, const std::string& where) {
  const size_t end = find_end(archive, where);
  const bool is_zip64 =
      end >= zip64_bytes && number<uint32_t>(archive, end - zip64_bytes) == zip64_signature;
  SLOPE_CHECK_INPUT(
      !is_zip64,
      "{}: is a zip64 archive (2 GB or more, or more than 65535 entries), which is not read",
      where);
  const size_t n = number<uint16_t>(archive, end + 10), size = number<uint32_t>(archive, end + 12),
               start = number<uint32_t>(archive, end + 16);
  SLOPE_CHECK_INPUT(number<uint32_t>(archive, end + 4) == 0 &&
                        number<uint16_t>(archive, end + 8) == n && start <= end &&
                        size == end - start,
                    "{}: the directory of the archive is not where its end says", where);
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  std::vector<std::pair<size_t, size_t>> ranges;  // of the entries, with their local headers
  std::vector<uint32_t> checksums;
  size_t at = start;
  for (size_t i = 0; i < n; ++i) {
    SLOPE_CHECK_INPUT(
        end - at >= directory_bytes && number<uint32_t>(archive, at) == directory_signature,
        "{}: entry {} of the directory is malformed", where, i);
    const size_t name_bytes = number<uint16_t>(archive, at + 28),
                 length = directory_bytes + name_bytes + number<uint16_t>(archive, at + 30) +
                          number<uint16_t>(archive, at + 32);
    SLOPE_CHECK_INPUT(length <= end - at, "{}: entry {} of the directory is cut off", where, i);
    const std::string name(archive.substr(at + directory_bytes, name_bytes));
    const auto flags = number<uint16_t>(archive, at + 8),
               method = number<uint16_t>(archive, at + 10);
    const size_t packed = number<uint32_t>(archive, at + 20),
                 bytes = number<uint32_t>(archive, at + 24),
                 local = number<uint32_t>(archive, at + 42);
    SLOPE_CHECK_INPUT(!(flags & encrypted), "{}: entry {} is encrypted", where, visible(name));
    SLOPE_CHECK_INPUT(method == 0,
                      "{}: entry {} is compressed; save the file with numpy.savez instead of "
                      "savez_compressed",
                      where, visible(name));
    SLOPE_CHECK_INPUT(packed == bytes, "{}: entry {} is stored, but in {} bytes instead of {}",
                      where, visible(name), packed, bytes);
    SLOPE_CHECK_INPUT(names.insert(name).second, "{}: entry {} appears twice", where,
                      visible(name));
    const std::string_view stored = stored_bytes(archive, local, name, bytes, start, where);
    checksums.push_back(number<uint32_t>(archive, at + 16));
    ranges.emplace_back(local, static_cast<size_t>(stored.data() - archive.data()) + bytes);
    entries.push_back({name, stored});
    at += length;
  }
  SLOPE_CHECK_INPUT(at == end, "{}: the directory of the archive has bytes after its {} entries",
                    where, n);
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    SLOPE_CHECK_INPUT(ranges[i - 1].second <= ranges[i].first, "{}: two entries overlap", where);
  // only now, because overlapping entries would sum the same bytes many times
  for (size_t i = 0; i < n; ++i)
    SLOPE_CHECK_INPUT(crc32(entries[i].bytes) == checksums[i],
                      "{}: entry {} is damaged: its checksum differs", where,
                      visible(entries[i].name));
  return entries;
}

std::string format_zip(const std::vector<ZipEntry>& entries) {
  std::string out, directory;
  // what a local header and a directory entry share
  const auto common = [](std::string& to, const ZipEntry& entry) {
    append<uint16_t>(to, version), append<uint16_t>(to, utf8_name), append<uint16_t>(to, 0);
    append<uint16_t>(to, 0), append<uint16_t>(to, 1 << 5 | 1);  // the first instant of 1980
    append<uint32_t>(to, crc32(entry.bytes));
    append<uint32_t>(to, static_cast<uint32_t>(entry.bytes.size()));
    append<uint32_t>(to, static_cast<uint32_t>(entry.bytes.size()));
    append<uint16_t>(to, static_cast<uint16_t>(entry.name.size())), append<uint16_t>(to, 0);
  };
  for (const ZipEntry& entry : entries) {
    SLOPE_CHECK_AS(UsageError, entry.name.size() <= UINT16_MAX,
                   "zip: the name of an entry has {} bytes, more than {}", entry.name.size(),
                   UINT16_MAX);
    SLOPE_CHECK_AS(UsageError,
                   out.size() + entry.bytes.size() + entry.name.size() + local_bytes <
                       UINT32_MAX - directory.size() - end_bytes - 2 * UINT16_MAX,
                   "zip: entry {} takes the archive beyond 4 GB", visible(entry.name));
    append(directory, directory_signature), append<uint16_t>(directory, version);
    common(directory, entry);
    append<uint16_t>(directory, 0), append<uint16_t>(directory, 0), append<uint16_t>(directory, 0);
    append<uint32_t>(directory, 0), append(directory, static_cast<uint32_t>(out.size()));
    directory += entry.name;
    append(out, local_signature);
    common(out, entry);
    out += entry.name;
    out += entry.bytes;
  }
  SLOPE_CHECK_AS(UsageError, entries.size() < UINT16_MAX, "zip: {} entries are too many",
                 entries.size());
  const auto start = static_cast<uint32_t>(out.size());
  out += directory;
  append(out, end_signature), append<uint32_t>(out, 0);
  append(out, static_cast<uint16_t>(entries.size()));
  append(out, static_cast<uint16_t>(entries.size()));
  append(out, static_cast<uint32_t>(directory.size())), append(out, start);
  append<uint16_t>(out, 0);
  return out;
}

uint32_t crc32(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> t{};
    for (uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xEDB88320 : 0);
    }
    return t;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes)
    crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 255];
  return ~crc;
}

}  // namespace slope
