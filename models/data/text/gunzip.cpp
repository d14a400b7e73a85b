#include <slope/core/error.h>
#include <slope/models/data/text/gunzip.h>
#include <zlib.h>

#include <algorithm>

namespace slope::data {
namespace {

struct Inflater {
  z_stream z{};
  Inflater() {
    constexpr int largest_window = 15, gzip_header = 16;
    SLOPE_CHECK_AS(MemoryError, inflateInit2(&z, largest_window + gzip_header) == Z_OK,
                   "gunzip: no memory for zlib");
  }
  ~Inflater() { inflateEnd(&z); }
};

}  // namespace

std::string gunzip(std::string_view bytes, const std::string& file, const TextLimits& limits) {
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t most = std::min(
      limits.most, std::max(limits.free, size <= limits.most / limits.ratio ? size * limits.ratio
                                                                            : limits.most));
  std::string text;
  Inflater inflater;
  z_stream& z = inflater.z;
  std::string chunk(1 << 16, '\0');
  while (!bytes.empty()) {
    // the pointer is not const in C, but zlib does not write there
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(std::min<size_t>(bytes.size(), 1 << 30));
    z.next_out = reinterpret_cast<Bytef*>(chunk.data());
    z.avail_out = static_cast<uInt>(chunk.size());
    const uInt offered = z.avail_in;
    const int status = inflate(&z, Z_NO_FLUSH);
    SLOPE_CHECK_AS(MemoryError, status != Z_MEM_ERROR, "gunzip: zlib ran out of memory for {}",
                   file);
    SLOPE_CHECK_INPUT(status == Z_OK || status == Z_STREAM_END, "{}: corrupt gzip data: {}", file,
                      z.msg ? z.msg : "cut off");
    bytes.remove_prefix(offered - z.avail_in);
    text.append(chunk, 0, chunk.size() - z.avail_out);
    SLOPE_CHECK_INPUT(static_cast<int64_t>(text.size()) <= most,
                      "{}: unpacks to more than {} bytes; if that is intended, unpack it first",
                      file, most);
    if (status == Z_STREAM_END) {
      // gzip allows trailing zeros
      if (bytes.find_first_not_of('\0') == bytes.npos) return text;
      SLOPE_CHECK_INPUT(is_gzip(bytes), "{}: {} bytes after the end of the gzip data", file,
                        bytes.size());
      inflateReset(&z);
    }
  }
  throw InputError(fmt::format("{}: gzip data are cut off after {} bytes", file, size));
}

std::string unpacked(std::string bytes, const std::string& file, const TextLimits& limits) {
  if (is_gzip(bytes)) return gunzip(bytes, file, limits);
  SLOPE_CHECK_INPUT(!file.ends_with(".gz"),
                    "{}: is not gzip data, though its name ends in .gz; rename or pack it", file);
  return bytes;
}

}  // namespace slope::data
