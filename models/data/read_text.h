// Reading text: a plain or gzip file as one string of valid UTF-8, its lines, and two files whose
// lines belong together. A file that cannot be read is an IoError, one whose content is not
// acceptable an InputError; both name it. Nothing here waits: FIFOs and devices are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slope::data {

// How far a .gz file may grow: at most `most` bytes, and beyond `free` bytes at most `ratio` times
// its own size (text shrinks 3 to 10 times).
struct TextLimits {
  int64_t most = int64_t{4} << 30;
  int64_t free = int64_t{64} << 20;
  int64_t ratio = 100;
};

// The whole text, unpacked where it is gzip (by its first bytes), without a byte
// order mark, CRLF as LF.
std::string read_text(const std::string& file, const TextLimits& limits = {});

// The same cleaning for text that came from elsewhere (standard input); `name` is named in errors.
std::string clean_text(std::string text, const std::string& name);

// Lines end with \n only, as `wc -l` counts them; the last one may lack it.
std::vector<std::string> split_lines(std::string_view text);
std::vector<std::string> read_lines(const std::string& file);

struct ParallelText {
  // as many lines, line i of one is the translation of line i of the other
  std::vector<std::string> source, target;
  std::string source_file, target_file;
};

// PREFIX.de or PREFIX.de.gz and the same for `target`. InputError where the numbers of lines
// differ, or there are none but empty ones.
ParallelText read_parallel(const std::string& prefix, const std::string& source,
                           const std::string& target);

// Where two texts of different length part most likely: the line k at which pairing from the start
// until k, and from the end after it, fits best.
int64_t first_suspicious_line(const std::vector<std::string>& source,
                              const std::vector<std::string>& target);

}  // namespace slope::data
