#include <slope/core/file_lock.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/system_call.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace slope {

FileLock::FileLock(const std::string& path) {
  const int fd = sys::open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW);
  try {
    struct stat s;
    SLOPE_CHECK_AS(IoError, ::fstat(fd, &s) == 0 && S_ISREG(s.st_mode), "{}: cannot lock: is no regular file", path);
    if (!sys::lock(fd, path)) {
      std::string owner(20, '\0');
      owner.resize(sys::read(fd, 0, owner.data(), owner.size(), path));
      owner.erase(std::find_if(owner.begin(), owner.end(), [](char c) { return c < '0' || c > '9'; }), owner.end());
      throw UsageError(fmt::format("{}: another process{} works in this folder; wait for it or choose another folder", sys::parent(path),
                                   owner.empty() ? "" : fmt::format(" ({})", owner)));
    }
    sys::cut(fd, 0, path);
    sys::write(fd, fmt::format("{}\n", ::getpid()), path);
  } catch (...) {
    ::close(fd);
    throw;
  }
  fd_ = fd;
}

FileLock::~FileLock() { ::close(fd_); }  // the file stays: removing it would let two processes lock two files of one name

}  // namespace slope
#endif
