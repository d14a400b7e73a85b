// AppendLog: a file of lines that only grows (log.jsonl). A line is written completely or, if that
// fails, removed again; sync() makes all lines durable: call it before the checkpoint that relies
// on them. A resume cuts the log back to the checkpoint's step. With a lock, each change of the
// file is an IoError once the lock is lost.
#pragma once
#ifndef SLOPE_PLAIN

#include <slope/core/files/file_lock.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace slope {

class AppendLog {
 public:
  // created if missing; IoError if it is a link; copied first if it has other names (cp -l); an
  // incomplete last line (after a crash) is removed
  explicit AppendLog(const std::string& path, const FileLock* lock = nullptr);
  ~AppendLog();
  AppendLog(const AppendLog&) = delete;
  AppendLog& operator=(const AppendLog&) = delete;

  void append(std::string_view line);  // without '\n'
  void sync();
  int64_t bytes() const { return bytes_; }
  // whether the path still leads to this file: an editor may have put another in its place
  bool is_in_place() const;
  // the cut is durable; UsageError beyond the end, InputError inside a line
  void cut_back(int64_t bytes);

 private:
  void check_lock() const;

  std::string path_;
  const FileLock* lock_;
  int fd_ = -1;
  int64_t bytes_ = 0;
};

}  // namespace slope
#endif
