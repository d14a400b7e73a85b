#include <slope/core/files/file_sink.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/system_call.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

namespace slope {
namespace {

constexpr size_t buffer_bytes = 1 << 16;

// The target if `path` is a link to a file. Anything that is not a regular file (a folder,
// /dev/full) is refused, because a rename would replace it.
std::string destination(const std::string& path) {
  const sys::Kind found = sys::kind(path);
  SLOPE_CHECK_AS(IoError, found != sys::Kind::folder, "{}: cannot write: is a folder", path);
  SLOPE_CHECK_AS(IoError, found != sys::Kind::other, "{}: cannot write: is not a regular file",
                 path);
  if (found != sys::Kind::link) return path;
  char* real = ::realpath(path.c_str(), nullptr);
  SLOPE_CHECK_AS(IoError, real || errno != ENOENT, "{}: cannot write: is a link that leads nowhere",
                 path);
  if (!real) sys::fail(path, "follow the link", errno);
  const std::string resolved = real;
  ::free(real);
  return destination(resolved);
}

}  // namespace

FileSink::FileSink(const std::string& path) : path_(destination(path)) {
  const std::optional<unsigned> old = sys::permissions(path_);
  temporary_ = make_temporary(path_, [&](const std::string& name) {
    fd_ = sys::create_new(name, path_);
    return fd_ >= 0;
  });
  // a private file stays private
  if (old) (void)!::fchmod(fd_, *old);
}

FileSink::~FileSink() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) sys::remove(temporary_);
}

void FileSink::flush() {
  sys::write(fd_, buffer_, path_);
  buffer_.clear();
}

void FileSink::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() > buffer_bytes)
    sys::write(fd_, bytes, path_);
  else
    buffer_.append(bytes);
}

void FileSink::commit() {
  flush();
  sys::sync(fd_, path_);
  sys::close(std::exchange(fd_, -1), path_);
  sys::rename(temporary_, path_);
  temporary_.clear();
  sys::sync_folder(sys::parent(path_));
}

void write_file(const std::string& path, std::string_view content) {
  FileSink sink(path);
  sink.write(content);
  sink.commit();
}

std::string temporary_name(const std::string& path, int n) {
  return fmt::format("{}.{}-{}.tmp", path, ::getpid(), n);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && (text == "0" || text[0] != '0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

std::optional<MadeFor> made_for(std::string_view temporary) {
  constexpr std::string_view end = ".tmp";
  if (!temporary.ends_with(end)) return std::nullopt;
  temporary.remove_suffix(end.size());
  const size_t dot = temporary.rfind('.'), dash = temporary.rfind('-');
  if (dot != temporary.npos && dash != temporary.npos && dash > dot &&
      is_number(temporary.substr(dot + 1, dash - dot - 1)) && is_number(temporary.substr(dash + 1)))
    return MadeFor{temporary.substr(0, dot)};
  return MadeFor{temporary, false};
}

}  // namespace slope
#endif
