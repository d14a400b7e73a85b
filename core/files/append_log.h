// AppendLog: a file of lines that only grows (log.jsonl). A line is written whole or, where that
// fails, cut away again; sync() makes all of them durable: call it before the checkpoint that
// counts on them. A resume cuts back what came after its step.
#pragma once
#ifndef SLOPE_PLAIN

#include <cstdint>
#include <string>
#include <string_view>

namespace slope {

class AppendLog {
 public:
  // created where missing, never through a link; a last line without its end (a crash) is cut away
  explicit AppendLog(const std::string& path);
  ~AppendLog();
  AppendLog(const AppendLog&) = delete;
  AppendLog& operator=(const AppendLog&) = delete;

  void append(std::string_view line);  // without '\n'
  void sync();
  int64_t bytes() const { return bytes_; }
  void cut_back(int64_t bytes);  // durable; UsageError beyond the log's end

 private:
  std::string path_;
  int fd_ = -1;
  int64_t bytes_ = 0;
};

}  // namespace slope
#endif
