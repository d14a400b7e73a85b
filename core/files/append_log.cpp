#include <slope/core/files/append_log.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <unistd.h>

namespace slope {

AppendLog::AppendLog(const std::string& path, const FileLock* lock) : path_(path), lock_(lock) {
  check_lock();
  const sys::Kind found = sys::kind(path);
  SLOPE_CHECK_AS(IoError, found != sys::Kind::link, "{}: cannot append: is a link; move it away",
                 path);
  const bool is_new = found == sys::Kind::nothing;
  SLOPE_CHECK_AS(IoError, is_new || found == sys::Kind::file,
                 "{}: cannot append: is not a regular file", path);
  const std::string before = is_new ? "" : read_file(path);
  if (!is_new && sys::has_other_names(path)) write_file(path, before);  // detaches the other names
  fd_ = sys::open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  try {
    const size_t last_end = before.rfind('\n');
    bytes_ = last_end == std::string::npos ? 0 : static_cast<int64_t>(last_end) + 1;
    if (bytes_ != static_cast<int64_t>(before.size())) cut_back(bytes_);
    if (is_new) sys::sync_folder(sys::parent(path));
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

AppendLog::~AppendLog() {
  if (fd_ >= 0) ::close(fd_);
}

void AppendLog::check_lock() const {
  if (lock_) lock_->check();
}

void AppendLog::append(std::string_view line) {
  check_lock();
  std::string text(line);
  text += '\n';
  try {
    sys::write(fd_, text, path_);
  } catch (const IoError&) {
    (void)!::ftruncate(fd_, bytes_);
    throw;
  }
  bytes_ += static_cast<int64_t>(text.size());
}

bool AppendLog::is_in_place() const { return sys::is_file_of(fd_, path_); }

void AppendLog::sync() { sys::sync(fd_, path_); }

void AppendLog::cut_back(int64_t bytes) {
  check_lock();
  SLOPE_CHECK_AS(UsageError, bytes >= 0 && bytes <= bytes_,
                 "{}: cannot cut the log of {} bytes to {}", path_, bytes_, bytes);
  if (bytes > 0 && bytes < bytes_) {
    char last = 0;
    FileReader(path_).read(bytes - 1, &last, 1);
    SLOPE_CHECK_INPUT(last == '\n', "{}: is the log of another run; move it away", path_);
  }
  sys::cut(fd_, bytes, path_);
  bytes_ = bytes;
  sync();
}

}  // namespace slope
#endif
