// FileSink: the one way to write a file. The bytes go to a temporary file in the same folder;
// commit() syncs it, renames it over the old file and syncs the folder. At every instant, and after
// every failure, the name refers to the complete old content or the complete new one.
#pragma once
#ifndef SLOPE_PLAIN

#include <optional>
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

// Files, folders and links are made under a temporary name, PATH.PID-N.tmp, and then renamed. The
// name is one that was free, so that nobody else's file is overwritten.
std::string temporary_name(const std::string& path, int n);
template <class Make>  // make(name) is false if that name is taken
std::string make_temporary(const std::string& path, const Make& make) {
  for (int n = 0;; ++n)
    if (const std::string name = temporary_name(path, n); make(name)) return name;
}

// What a temporary was made for: "loss.svg" of "loss.svg.77-0.tmp", and "last" of "last.tmp", the
// older form for links and folders. nullopt for every other name.
struct MadeFor {
  std::string_view name;
  bool is_numbered = true;
};
std::optional<MadeFor> made_for(std::string_view temporary);
// an integer as slope writes it: at most 19 digits, without leading zeros
bool is_number(std::string_view text);

}  // namespace slope
#endif
