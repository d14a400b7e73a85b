#include <slope/core/files/file_sink.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/system_call.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace slope {
namespace {

constexpr size_t buffer_bytes = 1 << 16;

// The target if `path` is a link to a file. Anything that is not a regular file (a folder,
// /dev/full) is refused, because a rename would replace it.
std::string destination(const std::string& path) {
  struct stat s;
  if (::lstat(path.c_str(), &s) != 0) return path;
  if (!S_ISLNK(s.st_mode)) {
    SLOPE_CHECK_AS(IoError, !S_ISDIR(s.st_mode), "{}: cannot write: is a folder", path);
    SLOPE_CHECK_AS(IoError, S_ISREG(s.st_mode), "{}: cannot write: is not a regular file", path);
    return path;
  }
  char* real = ::realpath(path.c_str(), nullptr);
  SLOPE_CHECK_AS(IoError, real != nullptr, "{}: cannot write: is a link that leads nowhere", path);
  const std::string resolved = real;
  ::free(real);
  return destination(resolved);
}

}  // namespace

FileSink::FileSink(const std::string& path) : path_(destination(path)) {
  for (int n = 0; fd_ < 0; ++n) {
    temporary_ = fmt::format("{}.{}-{}.tmp", path_, ::getpid(), n);
    fd_ = sys::create_new(temporary_, path_);
  }
  struct stat old;
  // a private file stays private
  if (::stat(path_.c_str(), &old) == 0) (void)!::fchmod(fd_, old.st_mode & 07777);
}

FileSink::~FileSink() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) sys::remove(temporary_);
}

void FileSink::flush() {
  sys::write(fd_, buffer_, path_);
  buffer_.clear();
}

void FileSink::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() > buffer_bytes)
    sys::write(fd_, bytes, path_);
  else
    buffer_.append(bytes);
}

void FileSink::commit() {
  flush();
  sys::sync(fd_, path_);
  sys::close(std::exchange(fd_, -1), path_);
  sys::rename(temporary_, path_);
  temporary_.clear();
  sys::sync_folder(sys::parent(path_));
}

void write_file(const std::string& path, std::string_view content) {
  FileSink sink(path);
  sink.write(content);
  sink.commit();
}

}  // namespace slope
#endif
