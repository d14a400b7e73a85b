// FileLock: one process at a time in a run's folder. The kernel lets go of the lock when its owner ends, however it ends.
#pragma once
#ifndef SLOPE_PLAIN

#include <string>

namespace slope {

class FileLock {
 public:
  explicit FileLock(const std::string& path);  // UsageError, naming the owner's process, where the lock is held
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace slope
#endif
