#include <slope/core/files/file_reader.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace slope {
namespace {

void require_regular(const struct stat& s, const std::string& path) {
  SLOPE_CHECK_AS(IoError, !S_ISDIR(s.st_mode), "{}: cannot read: is a folder", path);
  SLOPE_CHECK_AS(IoError, S_ISREG(s.st_mode), "{}: cannot read: is not a regular file", path);
}

}  // namespace

FileReader::FileReader(const std::string& path) : path_(path) {
  struct stat s;
  sys::look_at(path, s, "read");
  require_regular(s, path);  // before opening, which may act on a device and waits on a FIFO
  fd_ = sys::open(path, O_RDONLY | O_NONBLOCK);
  try {
    sys::look_at(fd_, s, path, "read");
    require_regular(s, path);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  bytes_ = s.st_size;
}

FileReader::~FileReader() {
  if (fd_ >= 0) ::close(fd_);
}

void FileReader::read(int64_t offset, void* to, size_t bytes) const {
  const size_t got = sys::read(fd_, offset, to, bytes, path_);
  SLOPE_CHECK_AS(IoError, got == bytes,
                 "{}: cannot read: the file ends at byte {}, it became shorter while being read",
                 path_, offset + static_cast<int64_t>(got));
}

std::string read_file(const std::string& path, int64_t limit) {
  const FileReader file(path);
  SLOPE_CHECK_AS(IoError, file.bytes() <= limit,
                 "{}: cannot read: it has {} bytes, more than the {} that may be read at once",
                 path, file.bytes(), limit);
  std::string content(static_cast<size_t>(file.bytes()), '\0');
  file.read(0, content.data(), content.size());
  return content;
}

bool begins_with(const std::string& path, std::string_view begin) {
  const FileReader file(path);
  std::string found(std::min(static_cast<size_t>(file.bytes()), begin.size()), '\0');
  file.read(0, found.data(), found.size());
  return begin.starts_with(found);
}

}  // namespace slope
#endif
