#include <slope/core/files/file_lock.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace slope {

namespace {

// Opens and locks the file; -1 if it was removed meanwhile, so that the lock protects nothing.
int try_lock(const std::string& path) {
  SLOPE_CHECK_INPUT(sys::kind(path) != sys::Kind::link,
                    "{}: is a link; a lock is a file of its own: move it away", path);
  const int fd = sys::open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW);
  try {
    struct stat s;
    sys::look_at(fd, s, path, "lock");
    SLOPE_CHECK_AS(IoError, S_ISREG(s.st_mode), "{}: cannot lock: is not a regular file", path);
    std::string owner(24, '\0');  // a process ID and a newline
    owner.resize(sys::read(fd, 0, owner.data(), owner.size(), path));
    SLOPE_CHECK_INPUT(owner.size() < 24 && owner.find_first_not_of("0123456789\n") == owner.npos,
                      "{}: is a file of that name that slope did not write; move it away or choose "
                      "another folder",
                      path);
    if (!sys::lock(fd, path)) {
      owner.erase(std::remove(owner.begin(), owner.end(), '\n'), owner.end());
      throw UsageError(fmt::format(
          "{}: another process{} is working in this folder; wait for it or choose another folder",
          sys::parent(path), owner.empty() ? "" : fmt::format(" ({})", owner)));
    }
    if (!sys::is_file_of(fd, path)) return ::close(fd), -1;
    sys::cut(fd, 0, path);
    sys::write(fd, fmt::format("{}\n", ::getpid()), path);
  } catch (...) {
    ::close(fd);
    throw;
  }
  return fd;
}

}  // namespace

FileLock::FileLock(const std::string& path) : path_(path) {
  while (fd_ < 0) fd_ = try_lock(path);
}

void FileLock::check() const {
  SLOPE_CHECK_AS(IoError, sys::is_file_of(fd_, path_),
                 "{}: was removed or replaced while this process worked in the folder; nothing "
                 "more is written there",
                 path_);
}

// the file stays: removing it would let two processes lock two files of one name
FileLock::~FileLock() { ::close(fd_); }

}  // namespace slope
#endif
