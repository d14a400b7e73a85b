#include <slope/core/error.h>
#include <slope/core/files/input_stream.h>
#include <slope/core/files/system_call.h>
#include <slope/models/data/text/gunzip.h>
#include <slope/models/data/text/read_text.h>
#include <slope/models/data/text/utf8.h>

#include <algorithm>

namespace slope::data {
namespace {

bool is_missing(const std::string& name) { return sys::kind(name) == sys::Kind::nothing; }

std::string existing(const std::string& file) {
  const std::string chosen = plain_or_gz(file);
  SLOPE_CHECK_AS(IoError, !is_missing(chosen), "{}: no such file, nor {}", file, chosen);
  return chosen;
}

}  // namespace

std::string plain_or_gz(const std::string& file) { return is_missing(file) ? file + ".gz" : file; }

std::string read_text(const std::string& file, const TextLimits& limits) {
  InputStream stream(file);
  std::string bytes;
  stream.read_all(bytes, limits.most);
  return clean_text(unpacked(std::move(bytes), stream.name(), limits), stream.name());
}

std::string clean_text(std::string text, const std::string& name, const TextBefore& before) {
  check_utf8(text, name, before);
  if (before.bytes == 0 && text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  size_t kept = 0, carriage_returns = 0, after_line_feeds = 0, line_feeds = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find_first_not_of('\r', i), text.size());
    const bool ends_line = end < text.size() && text[end] == '\n';  // CRLF, CRCRLF …
    if (!ends_line) {
      after_line_feeds += i < end && i > 0 && text[i - 1] == '\n';
      for (; i < end; ++i, ++carriage_returns) text[kept++] = '\r';
    }
    if (end < text.size()) text[kept++] = text[end];
    line_feeds += ends_line;
    i = end + 1;
  }
  SLOPE_CHECK_INPUT(after_line_feeds == 0 || after_line_feeds + 1 < before.lines + line_feeds,
                    "{}: line ends are LF, then CR; convert it: tr -d '\\r'", name);
  SLOPE_CHECK_INPUT(carriage_returns == 0 || carriage_returns < before.lines + line_feeds,
                    "{}: line ends are {} with CR alone and {} with LF; convert it: sed "
                    "'s/\\r*$//' | tr '\\r' '\\n'",
                    name, carriage_returns, line_feeds);
  text.resize(kept);
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<std::string> read_lines(const std::string& file) {
  return split_lines(read_text(file));
}

ParallelText read_parallel(const std::string& prefix, const std::string& source,
                           const std::string& target) {
  ParallelText text{.source_file = existing(prefix + "." + source),
                    .target_file = existing(prefix + "." + target)};
  refuse_shared_input({{source, text.source_file}, {target, text.target_file}});
  text.source = read_lines(text.source_file);
  text.target = read_lines(text.target_file);
  if (text.source.size() != text.target.size())
    throw InputError(
        fmt::format("{} has {} lines and {} has {}: line i of one must translate line i of the "
                    "other; they seem to diverge near line {}",
                    text.source_file, text.source.size(), text.target_file, text.target.size(),
                    first_suspicious_line(text.source, text.target)));
  const auto blank = [](const std::vector<std::string>& lines) {
    for (const auto& line : lines)
      if (line.find_first_not_of(" \t\r") != line.npos) return false;
    return true;
  };
  SLOPE_CHECK_INPUT(!blank(text.source), "{}: contains no text", text.source_file);
  SLOPE_CHECK_INPUT(!blank(text.target), "{}: contains no text", text.target_file);
  return text;
}

}  // namespace slope::data
