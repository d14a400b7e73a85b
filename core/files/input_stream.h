// Bytes from anything that can be opened and read to its end: a file, a pipe, a FIFO, a terminal,
// standard input. Unlike a FileReader it waits if the other side has no data yet.
#pragma once
#ifndef SLOPE_PLAIN

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace slope {

class InputStream {
 public:
  // "-" is standard input. IoError if it cannot be opened, or is a folder or a device, which may
  // have no end; terminals and /dev/null are read.
  explicit InputStream(const std::string& path);
  ~InputStream();
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  // in messages: the path, or "standard input"
  static std::string name_of(const std::string& path) {
    return path == "-" ? "standard input" : path;
  }
  const std::string& name() const { return name_; }
  bool is_file() const { return bytes_ >= 0; }  // its end is known: reading never waits
  // Waits at most `pause` for data or the end; true if read_some() will not wait.
  bool is_ready(std::chrono::milliseconds pause) const;
  // Appends what is available, waiting for at least one byte; false at the end.
  bool read_some(std::string& to);
  // Appends everything up to the end. IoError if that is more than `limit` bytes.
  void read_all(std::string& to, int64_t limit);

 private:
  std::string name_;
  int fd_ = -1;
  bool owns_ = false;
  int64_t bytes_ = -1;  // a file's size
};

// An argument that is read to its end: "--text", "-".
struct InputArgument {
  std::string name, path;
};
// UsageError if two of them name standard input (-, /dev/stdin, /dev/fd/0, …) or the same pipe: the
// second would find nothing left.
void refuse_shared_input(const std::vector<InputArgument>& inputs);

}  // namespace slope
#endif
