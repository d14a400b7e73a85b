// Like fail.cpp, makes system calls fail: those behind the files that the command names by a
// relative path, and writing to standard output:
//   FAIL_CALL=n          the n-th of them, from 1
//   FAIL_ON=1            and all after it
//   FAIL_ERROR=NUMBER    with this errno
//   FAIL_CALLS=FILE      their number, written there at the end
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace {

long made;          // calls so far
bool opened[1024];  // descriptors of such files

template <class F>
F next(F, const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

long number(const char* variable) {
  const char* text = getenv(variable);
  return text ? atol(text) : 0;
}

bool fails() {
  static const long n = number("FAIL_CALL"), on = number("FAIL_ON"), error = number("FAIL_ERROR");
  const long call = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
  const bool failing = n > 0 && (call == n || (on && call > n));
  if (failing) errno = static_cast<int>(error);
  return failing;
}

bool fails(const char* path) { return path && path[0] != '/' && fails(); }
bool fails(int fd) { return (fd == 1 || (fd >= 0 && fd < 1024 && opened[fd])) && fails(); }

[[gnu::destructor]] void write_calls() {
  static const auto open_file = next(&open, "open");
  const char* file = getenv("FAIL_CALLS");
  const int fd = file ? open_file(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
  if (fd >= 0) dprintf(fd, "%ld\n", made);
}

}  // namespace

// A call of libc by its name, which fails as `about`, its path or descriptor, says.
#define FAILING(result, name, parameters, about, ...)     \
  result name parameters {                                \
    static const auto real = next(&name, #name);          \
    return fails(about) ? result(-1) : real(__VA_ARGS__); \
  }

extern "C" {

int open(const char* path, int flags, ...) {
  static const auto real = next(&open, "open");
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  if (fails(path)) return -1;
  const int fd = real(path, flags, mode);
  if (fd >= 0 && fd < 1024) opened[fd] = path[0] != '/';
  return fd;
}

int close(int fd) {  // closed even if it says that it failed, as on Linux
  static const auto real = next(&close, "close");
  const bool failing = fd != 1 && fails(fd);
  const int error = errno, result = real(fd);
  if (fd >= 0 && fd < 1024) opened[fd] = false;
  if (failing) errno = error;
  return failing ? -1 : result;
}

DIR* opendir(const char* path) {
  static const auto real = next(&opendir, "opendir");
  return fails(path) ? nullptr : real(path);
}

FAILING(ssize_t, read, (int fd, void* to, size_t bytes), fd, fd, to, bytes)
FAILING(ssize_t, pread, (int fd, void* to, size_t bytes, off_t at), fd, fd, to, bytes, at)
FAILING(ssize_t, write, (int fd, const void* from, size_t bytes), fd, fd, from, bytes)
FAILING(int, fsync, (int fd), fd, fd)
FAILING(int, ftruncate, (int fd, off_t bytes), fd, fd, bytes)
FAILING(int, flock, (int fd, int how), fd, fd, how)
FAILING(int, fstat, (int fd, struct stat* s), fd, fd, s)
FAILING(int, stat, (const char* path, struct stat* s), path, path, s)
FAILING(int, lstat, (const char* path, struct stat* s), path, path, s)
FAILING(int, mkdir, (const char* path, mode_t mode), path, path, mode)
FAILING(int, remove, (const char* path), path, path)
FAILING(int, symlink, (const char* to, const char* link), link, to, link)
FAILING(int, rename, (const char* from, const char* to), from, from, to)
FAILING(ssize_t, readlink, (const char* path, char* to, size_t bytes), path, path, to, bytes)
FAILING(int, renameat2, (int a, const char* from, int b, const char* to, unsigned flags), from, a,
        from, b, to, flags)
}
