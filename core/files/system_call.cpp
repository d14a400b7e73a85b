#include <slope/core/files/system_call.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace slope::sys {
namespace {

thread_local Hook* hook = nullptr;  // not a Hook: registering its destructor takes memory

// Makes the call unless the hook makes it fail; repeats it if a signal interrupts it; a failure is
// -1 and errno, as usual.
template <class F>
auto attempt(const Call& call, F&& make) -> decltype(make()) {
  if (hook) {
    if (const int error = (*hook)(call)) {
      errno = error;
      return -1;
    }
  }
  decltype(make()) result;
  do result = make();
  while (result == -1 && errno == EINTR);
  return result;
}

void check(bool ok, const std::string& path, const char* action) {
  if (!ok) fail(path, action, errno);
}

// Beyond `ulimit -f` a write raises SIGXFSZ, which kills the process. This class blocks the signal
// in this thread and removes it from the queue, which leaves plain EFBIG.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~NoFileSizeSignal() {
    const int error = errno;
    if (error == EFBIG && !sigismember(&before_, SIGXFSZ)) {
      const timespec at_once{};
      while (sigtimedwait(&signals_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t signals_, before_;
};

}  // namespace

void set_hook(Hook new_hook) {
  delete hook;
  hook = new_hook ? new Hook(std::move(new_hook)) : nullptr;
}

static std::string failure(const std::string& path, const char* action, int error) {
  return fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(error));
}

void fail(const std::string& path, const char* action, int error) {
  throw IoError(failure(path, action, error));
}

int open(const std::string& path, int flags, unsigned mode) {
  const int fd =
      attempt({"open", path}, [&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  check(fd >= 0, path, "open");
  return fd;
}

int create_new(const std::string& path, const std::string& meant) {
  const int fd = attempt({"create", path}, [&] {
    return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  check(fd >= 0 || errno == EEXIST, meant, "create");
  return fd;
}

void write(int fd, std::string_view data, const std::string& path) {
  constexpr size_t most = 1 << 30;  // Linux takes at most 2^31 - 4096 bytes at once
  const NoFileSizeSignal guard;
  while (!data.empty()) {
    const std::string_view now = data.substr(0, most);
    const ssize_t written =
        attempt({"write", path, {}, now, fd}, [&] { return ::write(fd, now.data(), now.size()); });
    check(written > 0, path, "write");
    data.remove_prefix(static_cast<size_t>(written));
  }
}

size_t read(int fd, int64_t offset, void* to, size_t bytes, const std::string& path) {
  size_t done = 0;
  while (done < bytes) {
    const size_t now = std::min<size_t>(bytes - done, 1 << 30);
    const ssize_t got = attempt({"read", path, {}, {}, fd}, [&] {
      return ::pread(fd, static_cast<char*>(to) + done, now,
                     static_cast<off_t>(offset) + static_cast<off_t>(done));
    });
    check(got >= 0, path, "read");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

size_t read_next(int fd, void* to, size_t bytes, const std::string& path) {
  const ssize_t got = attempt({"read", path, {}, {}, fd}, [&] { return ::read(fd, to, bytes); });
  check(got >= 0, path, "read");
  return static_cast<size_t>(got);
}

void cut(int fd, int64_t bytes, const std::string& path) {
  check(attempt({"cut", path, {}, {}, fd}, [&] { return ::ftruncate(fd, bytes); }) == 0, path,
        "shorten");
}

void sync(int fd, const std::string& path) {
  check(attempt({"sync", path, {}, {}, fd}, [&] { return ::fsync(fd); }) == 0, path,
        "write to disk");
}

void close(int fd, const std::string& path) {
  const int error = hook ? (*hook)({"close", path, {}, {}, fd}) : 0;
  const int result = ::close(fd);  // not repeated after EINTR: Linux has closed it
  if (error) fail(path, "close", error);
  check(result == 0 || errno == EINTR, path, "close");
}

bool lock(int fd, const std::string& path) {
  const int result =
      attempt({"lock", path, {}, {}, fd}, [&] { return ::flock(fd, LOCK_EX | LOCK_NB); });
  if (result != 0 && (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS))
    throw NoLocksError(failure(path, "lock", errno));
  check(result == 0 || errno == EWOULDBLOCK, path, "lock");
  return result == 0;
}

void rename(const std::string& from, const std::string& to) {
  check(attempt({"rename", from, to}, [&] { return ::rename(from.c_str(), to.c_str()); }) == 0, to,
        "replace");
}

bool exchange(const std::string& a, const std::string& b) {
  const auto swap = [&] {
    return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  };
  const bool done = attempt({"exchange", a, b}, swap) == 0;
  check(done || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP, b, "replace");
  return done;
}

void make_folder(const std::string& path) {
  check(attempt({"make_folder", path}, [&] { return ::mkdir(path.c_str(), 0777); }) == 0, path,
        "create the folder");
}

bool make_new_folder(const std::string& path, const std::string& meant) {
  const bool made =
      attempt({"make_folder", path}, [&] { return ::mkdir(path.c_str(), 0777); }) == 0;
  check(made || errno == EEXIST, meant, "create the folder");
  return made;
}

bool make_new_link(const std::string& link, const std::string& leads_to, const std::string& meant) {
  const bool made = attempt({"make_link", link, leads_to},
                            [&] { return ::symlink(leads_to.c_str(), link.c_str()); }) == 0;
  check(made || errno == EEXIST, meant, "create the link");
  return made;
}

bool remove(const std::string& path) noexcept {
  return attempt({"remove", path}, [&] { return ::remove(path.c_str()); }) == 0;
}

namespace {

// false: there is nothing of that name
bool found(const std::string& path, struct stat& to, int (*look)(const char*, struct stat*)) {
  if (attempt({"look", path}, [&] { return look(path.c_str(), &to); }) == 0) return true;
  check(errno == ENOENT || errno == ENOTDIR, path, "look at");
  return false;
}

Kind kind_of(const std::string& path, int (*look)(const char*, struct stat*)) {
  struct stat s;
  if (!found(path, s, look)) return Kind::nothing;
  if (S_ISLNK(s.st_mode)) return Kind::link;
  return S_ISREG(s.st_mode) ? Kind::file : S_ISDIR(s.st_mode) ? Kind::folder : Kind::other;
}

}  // namespace

Kind kind(const std::string& path) { return kind_of(path, ::lstat); }
Kind kind_followed(const std::string& path) { return kind_of(path, ::stat); }
bool is_folder(const std::string& path) { return kind_followed(path) == Kind::folder; }

void look_at(const std::string& path, struct stat& to, const char* action) {
  check(attempt({"look", path}, [&] { return ::stat(path.c_str(), &to); }) == 0, path, action);
}

void look_at(int fd, struct stat& to, const std::string& path, const char* action) {
  check(attempt({"look", path, {}, {}, fd}, [&] { return ::fstat(fd, &to); }) == 0, path, action);
}

std::optional<unsigned> permissions(const std::string& path) {
  struct stat s;
  return found(path, s, ::stat) ? std::optional<unsigned>(s.st_mode & 07777) : std::nullopt;
}

bool has_other_names(const std::string& path) {
  struct stat s;
  check(attempt({"look", path}, [&] { return ::lstat(path.c_str(), &s); }) == 0, path, "look at");
  return s.st_nlink > 1;
}

std::string read_link(const std::string& path) {
  std::string target(4096, '\0');  // PATH_MAX
  const ssize_t length = attempt(
      {"read_link", path}, [&] { return ::readlink(path.c_str(), target.data(), target.size()); });
  check(length >= 0, path, "read the link");
  target.resize(static_cast<size_t>(length));
  return target;
}

std::vector<std::string> names_in(const std::string& folder) {
  DIR* opened = nullptr;
  (void)attempt({"list", folder}, [&] { return (opened = ::opendir(folder.c_str())) ? 0 : -1; });
  check(opened != nullptr, folder, "list the folder");
  const std::unique_ptr<DIR, int (*)(DIR*)> closes(opened, ::closedir);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(opened);
    check(entry || errno == 0, folder, "list the folder");
    if (!entry) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool remove_tree(const std::string& path) noexcept {
  int first = 0;
  try {
    if (kind(path) == Kind::folder)
      for (const std::string& name : names_in(path))
        if (!remove_tree(path + "/" + name) && !first) first = errno;
  } catch (const std::exception&) {  // also of memory: what can be removed is removed
    if (!first) first = errno;
  }
  if (remove(path) || errno == ENOENT) return true;
  if (first) errno = first;
  return false;
}

bool is_file_of(int fd, const std::string& path) {
  struct stat open, named;
  look_at(fd, open, path, "look at");
  return found(path, named, ::lstat) && open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void sync_folder(const std::string& path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY);
  const int result = attempt({"sync", path, {}, {}, fd}, [&] { return ::fsync(fd); });
  const int error = errno;
  ::close(fd);
  // EINVAL: a file system that needs no such call
  if (result != 0 && error != EINVAL) fail(path, "write the folder to disk", error);
}

std::string parent(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  const size_t slash = end == std::string::npos ? std::string::npos : path.rfind('/', end);
  return slash == std::string::npos ? (end == std::string::npos && !path.empty() ? "/" : ".")
                                    : path.substr(0, std::max<size_t>(slash, 1));
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace slope::sys
#endif
