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
  // removes that file; so it does if the file system has no locks (sys::NoLocksError). A file that
  // copies of the folder share (`cp -al`) is replaced by a new one for this folder. `guarded`: the
  // folder that messages name, by default that of the lock.
  explicit FileLock(const std::string& path, const std::string& guarded = "");
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // IoError if this name no longer refers to the locked file: the folder was removed, or another
  // process works in it.
  void check() const;
  // Removes the file while it is locked, where nothing is to stay; nothing if it is gone already.
  void remove();

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace slope
#endif
