#include <slope/core/files/file_lock.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>

namespace slope {

namespace {

constexpr std::string_view mark = "slope ";

// The process ID in a lock's text; empty if that is incomplete, nullopt if it is not a lock's.
std::optional<std::string_view> owner_in(std::string_view text) {
  if (text.empty() || text == mark) return "";  // its owner is about to write the rest, or failed
  if (!text.starts_with(mark)) return std::nullopt;
  text.remove_prefix(mark.size());
  if (text.ends_with('\n')) text.remove_suffix(1);
  // no process ID has more than 7 digits: Linux counts to 2^22
  return is_number(text) && text.size() <= 7 ? std::optional(text) : std::nullopt;
}

// Opens and locks the file; -1 if another try is needed: the file was removed meanwhile, or
// belonged to another folder too.
int try_lock(const std::string& path, const std::string& guarded) {
  SLOPE_CHECK_INPUT(sys::kind(path) != sys::Kind::link,
                    "{}: is a link; a lock is a file of its own: move it away", path);
  const bool is_new = sys::kind(path) == sys::Kind::nothing;
  const int fd = sys::open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW);
  bool is_ours = false;
  try {
    struct stat s;
    sys::look_at(fd, s, path, "lock");
    SLOPE_CHECK_AS(IoError, S_ISREG(s.st_mode), "{}: cannot lock: is not a regular file", path);
    const bool is_shared = s.st_nlink > 1 && !is_new;
    std::string text(24, '\0');  // longer than any lock's
    text.resize(sys::read(fd, 0, text.data(), text.size(), path));
    const std::optional<std::string_view> owner = owner_in(text);
    SLOPE_CHECK_INPUT(owner,
                      "{}: is a file that slope did not write; move it away or choose "
                      "another folder",
                      path);
    const std::string other = owner->empty() ? "another process"
                              : *owner == std::to_string(::getpid())
                                  ? "this process"
                                  : fmt::format("another process ({})", *owner);
    SLOPE_CHECK_AS(
        UsageError, sys::lock(fd, path),
        "{}: {} is working in this folder{}; wait for it or choose another folder", guarded, other,
        is_shared ? fmt::format(", or in one that shares its lock (cp -al; then remove {})", path)
                  : "");
    is_ours = sys::is_file_of(fd, path);
    if (!is_ours) return ::close(fd), -1;
    if (is_shared) {  // the next try makes this folder its own file
      if (!sys::remove(path)) sys::fail(path, "remove", errno);
      return ::close(fd), -1;
    }
    sys::cut(fd, 0, path);
    sys::write(fd, fmt::format("{}{}\n", mark, ::getpid()), path);
  } catch (const sys::NoLocksError&) {
    if (is_new) sys::remove(path);
    ::close(fd);
    throw;
  } catch (...) {
    // removed while still locked, so that whoever opened it meanwhile finds the name gone
    if (is_new && is_ours) sys::remove(path);
    ::close(fd);
    throw;
  }
  return fd;
}

}  // namespace

FileLock::FileLock(const std::string& path, const std::string& guarded) : path_(path) {
  while (fd_ < 0) fd_ = try_lock(path, guarded.empty() ? sys::parent(path) : guarded);
}

void FileLock::check() const {
  SLOPE_CHECK_AS(IoError, sys::is_file_of(fd_, path_),
                 "{}: was removed or replaced while this process worked in the folder; nothing "
                 "more is written there",
                 path_);
}

// whoever opened the file meanwhile finds the name gone, and makes a new one
void FileLock::remove() {
  if (sys::is_file_of(fd_, path_) && !sys::remove(path_)) sys::fail(path_, "remove", errno);
}

// the file stays: once it is unlocked, another process may have it
FileLock::~FileLock() { ::close(fd_); }

}  // namespace slope
#endif
