#include <fcntl.h>
#include <slope/core/error.h>
#include <slope/models/data/gunzip.h>
#include <slope/models/data/read_text.h>
#include <slope/models/data/utf8.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace slope::data {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

std::string read_bytes(const std::string& file, int64_t most) {
  const Descriptor in{open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};  // O_NONBLOCK: opening a FIFO must not wait for its writer
  SLOPE_CHECK_AS(IoError, in.fd >= 0, "{}: cannot open: {}", file, std::strerror(errno));
  struct stat info;
  SLOPE_CHECK_AS(IoError, fstat(in.fd, &info) == 0, "{}: cannot stat: {}", file, std::strerror(errno));
  SLOPE_CHECK_AS(IoError, !S_ISDIR(info.st_mode), "{}: is a folder; name a file in it", file);
  SLOPE_CHECK_AS(IoError, S_ISREG(info.st_mode), "{}: is no regular file (a FIFO, socket or device); save its content to a file", file);
  SLOPE_CHECK_INPUT(info.st_size <= most, "{}: {} bytes are more than the {} that a text may have; split it", file, info.st_size, most);
  std::string bytes(static_cast<size_t>(info.st_size) + 1, '\0');  // one more, so that the end shows without growing
  size_t length = 0;
  for (;;) {
    if (length == bytes.size()) bytes.resize(2 * length);
    SLOPE_CHECK_INPUT(static_cast<int64_t>(length) <= most, "{}: grew beyond {} bytes while it was read", file, most);
    const ssize_t got = read(in.fd, bytes.data() + length, bytes.size() - length);
    if (got < 0 && errno == EINTR) continue;
    SLOPE_CHECK_AS(IoError, got >= 0, "{}: cannot read: {}", file, std::strerror(errno));
    if (got == 0) break;
    length += static_cast<size_t>(got);
  }
  bytes.resize(length);
  return bytes;
}

bool exists(const std::string& file) {
  struct stat info;
  return lstat(file.c_str(), &info) == 0;
}

std::string plain_or_gz(const std::string& file) {
  const std::string packed = file + ".gz";
  SLOPE_CHECK_AS(IoError, exists(file) || exists(packed), "{}: no such file, nor {}", file, packed);
  return exists(file) ? file : packed;
}

}  // namespace

std::string read_text(const std::string& file, const TextLimits& limits) {
  std::string bytes = read_bytes(file, limits.most);
  if (is_gzip(bytes)) {
    bytes = gunzip(bytes, file, limits);
  } else {
    SLOPE_CHECK_INPUT(!file.ends_with(".gz"), "{}: is not gzip data, though its name ends in .gz; rename or pack it", file);
  }
  return clean_text(std::move(bytes), file);
}

std::string clean_text(std::string text, const std::string& name) {
  check_utf8(text, name);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  size_t kept = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (!(text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n')) text[kept++] = text[i];
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

std::vector<std::string> read_lines(const std::string& file) { return split_lines(read_text(file)); }

ParallelText read_parallel(const std::string& prefix, const std::string& source, const std::string& target) {
  ParallelText text{.source_file = plain_or_gz(prefix + "." + source), .target_file = plain_or_gz(prefix + "." + target)};
  text.source = read_lines(text.source_file);
  text.target = read_lines(text.target_file);
  if (text.source.size() != text.target.size())
    throw InputError(fmt::format(
        "{} has {} lines and {} has {}: line i of one must translate line i of the other; they seem to part near line {}", text.source_file,
        text.source.size(), text.target_file, text.target.size(), first_suspicious_line(text.source, text.target)));
  const auto blank = [](const std::vector<std::string>& lines) {
    for (const auto& line : lines)
      if (line.find_first_not_of(" \t\r") != line.npos) return false;
    return true;
  };
  SLOPE_CHECK_INPUT(!blank(text.source), "{}: no text in it", text.source_file);
  SLOPE_CHECK_INPUT(!blank(text.target), "{}: no text in it", text.target_file);
  return text;
}

}  // namespace slope::data
