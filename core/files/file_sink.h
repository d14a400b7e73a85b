// FileSink: the one way to write a file. The bytes go to a temporary file in the same folder;
// commit() syncs it, renames it over the old file and syncs the folder. At every instant, and after
// every failure, the name refers to the complete old content or the complete new one.
#pragma once
#ifndef SLOPE_PLAIN

#include <string>
#include <string_view>

namespace slope {

class FileSink {
 public:
  // IoError if `path` is a folder or a device, or its folder cannot be written
  explicit FileSink(const std::string& path);
  ~FileSink();  // without commit(): the temporary is removed and the old file stays
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();
  std::string path_, temporary_, buffer_;
  int fd_ = -1;
};

void write_file(const std::string& path, std::string_view content);

}  // namespace slope
#endif
