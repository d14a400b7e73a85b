// FileLock lets only one process work in a run's folder. The kernel releases the lock when its
// owner ends, however it ends. The file's content is "slope PID\n"; a file with any other content,
// even a bare process ID, is not taken for a lock.
#pragma once
#ifndef SLOPE_PLAIN

#include <string>

namespace slope {

class FileLock {
 public:
  // UsageError, with the owner's process ID, if the lock is taken; InputError if there is a file of
  // this name whose content is not a FileLock's. If it throws after locking a file that it made, it
  // removes that file. A file that copies of the folder share (`cp -al`) is replaced by a new one
  // for this folder.
  explicit FileLock(const std::string& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // IoError if this name no longer refers to the locked file: the folder was removed, or another
  // process works in it.
  void check() const;

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace slope
#endif
