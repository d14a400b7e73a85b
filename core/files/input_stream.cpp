#include <slope/core/files/input_stream.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace slope {
namespace {

constexpr int64_t step = 1 << 16;

void refuse_what_may_not_end(const struct stat& s, const std::string& name) {
  SLOPE_CHECK_AS(IoError, !S_ISDIR(s.st_mode), "{}: cannot read: is a folder", name);
  const unsigned type = major(s.st_rdev);  // Linux, admin-guide/devices.txt
  const bool is_terminal = type == 4 || type == 5 || (type >= 136 && type <= 143) || type == 188 ||
                           type == 204 ||
                           type == 229,  // serial lines, consoles of virtual machines
      is_null = s.st_rdev == makedev(1, 3),
             is_device = S_ISBLK(s.st_mode) || (S_ISCHR(s.st_mode) && !is_terminal && !is_null);
  SLOPE_CHECK_AS(IoError, !is_device, "{}: cannot read: is a device; name a file or a pipe", name);
}

// Whether the name, not what it leads to, says standard input.
bool names_standard_input(const std::string& path) {
  if (path == "-") return true;
  std::error_code none;  // a name that cannot be resolved is another one
  const std::string name = std::filesystem::absolute(path, none).lexically_normal();
  return name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0" ||
         name == "/proc/thread-self/fd/0" || name == fmt::format("/proc/{}/fd/0", ::getpid());
}

using Pipe = std::pair<dev_t, ino_t>;

// nullopt if it is no pipe
std::optional<Pipe> pipe_of(const std::string& path) {
  struct stat s;
  if (path == "-")
    sys::look_at(STDIN_FILENO, s, InputStream::name_of(path), "read");
  else if (sys::kind_followed(path) == sys::Kind::other)
    sys::look_at(path, s, "read");
  else
    return std::nullopt;
  const bool is_pipe = S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode);
  return is_pipe ? std::optional(Pipe(s.st_dev, s.st_ino)) : std::nullopt;
}

}  // namespace

void refuse_shared_input(const std::vector<InputArgument>& inputs) {
  const auto refuse = [](const InputArgument& a, const InputArgument& b, const char* what) {
    throw UsageError(fmt::format("{} {} and {} {}: both read {}; name a file for one of them",
                                 a.name, a.path, b.name, b.path, what));
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const InputArgument &a = inputs[j], &b = inputs[i];
      if (names_standard_input(a.path) && names_standard_input(b.path))
        refuse(a, b, "standard input");
      const std::optional<Pipe> pipe = pipe_of(a.path);
      if (pipe && pipe == pipe_of(b.path)) refuse(a, b, "the same pipe");
    }
}

InputStream::InputStream(const std::string& path) : name_(name_of(path)) {
  struct stat s;
  if (path == "-") {
    fd_ = STDIN_FILENO;
  } else {  // checked before it is opened, because opening may act on a device
    sys::look_at(path, s, "read");
    refuse_what_may_not_end(s, path);
    fd_ = sys::open(path, O_RDONLY | O_NOCTTY);
    owns_ = true;
  }
  try {
    sys::look_at(fd_, s, name_, "read");
    refuse_what_may_not_end(s, name_);
  } catch (...) {
    if (owns_) ::close(fd_);
    throw;
  }
  if (S_ISREG(s.st_mode)) bytes_ = s.st_size;
}

InputStream::~InputStream() {
  if (owns_) ::close(fd_);
}

bool InputStream::is_ready(std::chrono::milliseconds pause) const {
  pollfd p{.fd = fd_, .events = POLLIN, .revents = 0};
  return ::poll(&p, 1, static_cast<int>(pause.count())) > 0;
}

bool InputStream::read_some(std::string& to) {
  const size_t before = to.size();
  to.resize(before + step);
  const size_t got = sys::read_next(fd_, to.data() + before, step, name_);
  to.resize(before + got);
  return got > 0;
}

void InputStream::read_all(std::string& to, int64_t limit) {
  const auto check = [&](int64_t bytes, const char* at_least) {
    SLOPE_CHECK_AS(IoError, bytes <= limit,
                   "{}: cannot read: it has {}{} bytes, more than the {} that may be read at once",
                   name_, at_least, bytes, limit);
  };
  const size_t before = to.size();
  check(bytes_, "");  // before memory is taken
  if (bytes_ > 0) to.reserve(to.size() + static_cast<size_t>(bytes_) + step);
  while (read_some(to)) check(static_cast<int64_t>(to.size() - before), "at least ");
}

}  // namespace slope
#endif
