// The system calls behind every file that is written or read, each checked: a failure is an IoError
// that names the file and the reason. A hook sees each call before it is made and may make it fail
// with an errno: tests make the k-th call fail, or keep a journal for power-loss trials.
#pragma once
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct stat;

namespace slope::sys {

struct Call {
  const char* name;       // "open", "write", "sync", "close", "rename", …
  std::string_view path;  // the file; for rename and exchange the old name, for make_link the link
  std::string_view other = {};  // rename, exchange: the new name; make_link: where it leads
  std::string_view data = {};   // write: the bytes
  int fd = -1;
};
struct NoLocksError : IoError {
  using IoError::IoError;
};
using Hook = std::function<int(const Call&)>;  // returns 0 (let it pass) or the errno to fail with
void set_hook(Hook hook);                      // of this thread; an empty hook removes it

int open(const std::string& path, int flags, unsigned mode = 0666);
// -1 if the name is taken; other errors mention `meant`
int create_new(const std::string& path, const std::string& meant);
void write(int fd, std::string_view data, const std::string& path);
// returns fewer bytes only at the end of the file
size_t read(int fd, int64_t offset, void* to, size_t bytes, const std::string& path);
// the next bytes of a pipe or file, at least one; 0 at its end
size_t read_next(int fd, void* to, size_t bytes, const std::string& path);
void cut(int fd, int64_t bytes, const std::string& path);
void sync(int fd, const std::string& path);
void close(int fd, const std::string& path);  // the descriptor is closed even if this throws
// exclusive, does not wait: false if the file is locked through another open(), in any process;
// NoLocksError if the file system has no locks
bool lock(int fd, const std::string& path);

void rename(const std::string& from, const std::string& to);
// exchanges the two names atomically; false if the file system cannot (NFS, CIFS)
bool exchange(const std::string& a, const std::string& b);
void make_folder(const std::string& path);
// These two return false if the name is taken; other errors mention `meant`.
bool make_new_folder(const std::string& path, const std::string& meant);
bool make_new_link(const std::string& link, const std::string& leads_to, const std::string& meant);
bool remove(const std::string& path) noexcept;  // a file, a link or an empty folder
// a folder with its content; continues after a failure; true if nothing is left, else errno is that
// of the first failure
bool remove_tree(const std::string& path) noexcept;

// Queries. "There is nothing" is an answer; every other failure (EIO, ESTALE, EACCES, …) is an
// IoError: without certainty nothing is deleted.
enum class Kind { nothing, file, folder, link, other };
Kind kind(const std::string& path);  // of the name itself: a link is a link, wherever it leads
// of what a link leads to; nothing if it leads nowhere
Kind kind_followed(const std::string& path);
bool is_folder(const std::string& path);  // or a link that leads to one
// Calls stat for a name (links are followed) or an open file; a missing file is an error too.
void look_at(const std::string& path, struct stat& to, const char* action);
void look_at(int fd, struct stat& to, const std::string& path, const char* action);
// the mode bits, as chmod takes them; nullopt if there is nothing
std::optional<unsigned> permissions(const std::string& path);
// whether the file has further names (`cp -l`), under which a write into it would be seen
bool has_other_names(const std::string& path);
std::string read_link(const std::string& path);                // where the link leads
std::vector<std::string> names_in(const std::string& folder);  // sorted
// whether `path` still names the file that fd has open
bool is_file_of(int fd, const std::string& path);
void sync_folder(const std::string& path);  // makes created, renamed and removed names durable

std::string parent(const std::string& path);  // "a/b" -> "a", "b" -> "."
std::string without_trailing_slashes(std::string path);
[[noreturn]] void fail(const std::string& path, const char* action, int error);

}  // namespace slope::sys
#endif
