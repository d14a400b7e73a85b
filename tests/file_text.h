// The content of a file that a test reads, with C's functions, because a build for WebAssembly has
// no others.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace slope::test {

inline std::string file_text(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw std::runtime_error("a test's file is missing: " + path);
  std::string text;
  char part[1 << 16];
  while (const size_t n = std::fread(part, 1, sizeof part, file.get())) text.append(part, n);
  return text;
}

}  // namespace slope::test
