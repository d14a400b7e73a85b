// Reading untrusted files. Only regular files are opened: a FIFO, folder, device or dangling link
// is an IoError at once, never a wait; sizes are known before anything is allocated.
#pragma once
#ifndef SLOPE_PLAIN

#include <cstdint>
#include <string>
#include <string_view>

namespace slope {

class FileReader {
 public:
  explicit FileReader(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  int64_t bytes() const { return bytes_; }  // when it was opened
  // exactly `bytes`: IoError if the file has become shorter
  void read(int64_t offset, void* to, size_t bytes) const;

 private:
  std::string path_;
  int fd_ = -1;
  int64_t bytes_ = 0;
};

// The whole file. IoError if it has more than `limit` bytes.
std::string read_file(const std::string& path, int64_t limit = int64_t{1} << 32);

// whether the file begins with `begin`, or was cut off within it (an interrupted write)
bool begins_with(const std::string& path, std::string_view begin);

}  // namespace slope
#endif
