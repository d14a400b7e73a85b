#include <slope/core/error.h>
#include <slope/models/data/text/gunzip.h>
#include <slope/models/data/text/line_stream.h>

#include <algorithm>
#include <utility>

namespace slope::data {

std::optional<std::vector<std::string>> LineStream::next() {
  constexpr std::chrono::milliseconds pause(20);
  constexpr size_t longest_line = size_t{64} << 20;      // a text may have no end
  constexpr size_t enough = 1 << 20, most_lines = 4096;  // for a writer that never pauses
  const TextLimits limits;
  std::string text = std::exchange(rest_, {});
  const auto is_packed = [&] { return read_.bytes == 0 && is_gzip(text); };
  if (stream_.is_file() && !std::exchange(is_at_end_, true)) stream_.read_all(text, limits.most);
  size_t whole = 0, lines = 0;  // bytes of complete lines, and their number
  const auto count_from = [&](size_t at) {
    for (size_t end; lines < most_lines && (end = text.find('\n', at)) != text.npos; at = end + 1)
      whole = end + 1, ++lines;
  };
  count_from(0);
  while (!is_at_end_) {
    const bool may_answer = whole > 0 && !is_packed();
    if (may_answer && (whole >= enough || lines == most_lines || !stream_.is_ready(pause))) break;
    const size_t before = text.size();
    is_at_end_ = !stream_.read_some(text);
    SLOPE_CHECK_AS(IoError, static_cast<int64_t>(text.size()) <= limits.most,
                   "{}: cannot read: more than the {} bytes that may be read at once",
                   stream_.name(), limits.most);
    count_from(before);
    const bool is_line = lines < most_lines && !is_packed();  // whether the rest is a single line
    SLOPE_CHECK_INPUT(!is_line || text.size() - whole <= longest_line,
                      "{}: line {}: longer than {} bytes; break it into lines", stream_.name(),
                      read_.lines + lines + 1, longest_line);
  }
  if (is_at_end_) {
    if (read_.bytes == 0) text = unpacked(std::move(text), stream_.name(), limits);
    whole = text.size();
  }
  if (whole == 0) return std::nullopt;
  rest_ = text.substr(whole);
  text.resize(whole);
  before_ = read_;
  read_.bytes += whole;
  read_.lines += static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return split_lines(clean_text(std::move(text), stream_.name(), before_));
}

}  // namespace slope::data
