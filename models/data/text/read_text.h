// Reads a plain or gzip file, or standard input (`-`), as one string of valid UTF-8 or as its
// lines; also two files of parallel lines. A file that cannot be read is an IoError, unacceptable
// content an InputError; both name the file. Pipes and FIFOs are read to their end.
#pragma once

#include <slope/models/data/text/utf8.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slope::data {

// The largest size to which a .gz file may unpack: at most `most` bytes, and beyond `free` bytes at
// most `ratio` times the packed size (text compresses 3 to 10 times).
struct TextLimits {
  int64_t most = int64_t{4} << 30;
  int64_t free = int64_t{64} << 20;
  int64_t ratio = 100;
};

// The whole text, unpacked if its first bytes are gzip's, without a byte order mark, with CRLF
// (also CRCRLF, as a second conversion leaves it) converted to LF.
std::string read_text(const std::string& file, const TextLimits& limits = {});

// The same cleaning for text from elsewhere; `name` and `before` (what precedes the text) are for
// errors. InputError if it is not UTF-8, if at least as many lines end with CR alone (as on old
// Macintoshes) as with LF, so that it would be taken for one line, or if CR follows each LF but
// perhaps the last.
std::string clean_text(std::string text, const std::string& name, const TextBefore& before = {});

// Lines end with \n only, as `wc -l` counts them; the last one may lack it.
std::vector<std::string> split_lines(std::string_view text);
std::vector<std::string> read_lines(const std::string& file);

struct ParallelText {
  // of equal length; line i of one is the translation of line i of the other
  std::vector<std::string> source, target;
  std::string source_file, target_file;
};

// PREFIX.SOURCE or PREFIX.SOURCE.gz, and the same for `target`. InputError if the numbers of lines
// differ or all lines are empty.
ParallelText read_parallel(const std::string& prefix, const std::string& source,
                           const std::string& target);
// FILE, or FILE.gz if there is no FILE
std::string plain_or_gz(const std::string& file);

// Where two texts of different length most likely diverge: the line k, counted from 1, for which
// the pairs fit best if lines before k are paired from the start, the others from the end.
int64_t first_suspicious_line(const std::vector<std::string>& source,
                              const std::vector<std::string>& target);

}  // namespace slope::data
