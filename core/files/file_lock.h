// FileLock: one process at a time in a run's folder. The kernel lets go of the lock when its owner
// ends, however it ends.
#pragma once
#ifndef SLOPE_PLAIN

#include <string>

namespace slope {

class FileLock {
 public:
  // UsageError, naming the owner's process, where the lock is held; InputError where the file is
  // none that a FileLock wrote.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // IoError where the file that is locked is no longer the one of this name: the folder was
  // removed, or another process works in it now.
  void check() const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace slope
#endif
