#include <slope/core/files/folder_sink.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/files/file_reader.h>
#include <slope/core/files/file_sink.h>
#include <slope/core/files/system_call.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace slope {
namespace {

void sync_tree(const std::string& folder) {
  for (const std::string& name : sys::names_in(folder)) {
    const std::string path = folder + "/" + name;
    const sys::Kind kind = sys::kind(path);
    if (kind == sys::Kind::folder) sync_tree(path);
    if (kind != sys::Kind::file) continue;
    const int fd = sys::open(path, O_RDONLY);
    try {
      sys::sync(fd, path);
    } catch (...) {
      ::close(fd);
      throw;
    }
    ::close(fd);
  }
  sys::sync_folder(folder);
}

bool holds_only_own(const std::string& folder, const OwnFiles& own) {
  for (const std::string& name : sys::names_in(folder)) {
    const std::optional<MadeFor> made = made_for(name);
    const bool known = own.is_in_folder(made && made->is_numbered ? made->name : name);
    if (!known || sys::kind(folder + "/" + name) != sys::Kind::file) return false;
  }
  return true;
}

// Whether FolderSink, swap_link or FileSink left this in a crash.
bool is_stray(const std::string& folder, const std::string& name, const OwnFiles& own) {
  const std::optional<MadeFor> made = made_for(name);
  if (!made) return false;
  const std::string path = folder + "/" + name;
  const bool is_own_folder =
      own.folder.empty() ? is_step(made->name) : made->is_numbered && made->name == own.folder;
  if (is_own_folder) return sys::kind(path) == sys::Kind::folder && holds_only_own(path, own);
  if (std::find(own.links.begin(), own.links.end(), made->name) != own.links.end())
    return sys::kind(path) == sys::Kind::link && is_step(sys::read_link(path));
  return made->is_numbered &&
         std::any_of(own.files.begin(), own.files.end(), [&](const OwnFiles::File& file) {
           return file.name == made->name && sys::kind(path) == sys::Kind::file &&
                  begins_with(path, file.begin);
         });
}

// Renames `path` to a temporary name, which it returns.
std::string move_aside(const std::string& path) {
  return make_temporary(path, [&](const std::string& name) {
    if (sys::kind(name) != sys::Kind::nothing) return false;
    sys::rename(path, name);
    return true;
  });
}

}  // namespace

bool is_step(std::string_view name) {
  constexpr std::string_view step = "step-";
  return name.starts_with(step) && is_number(name.substr(step.size()));
}

FolderSink::FolderSink(const std::string& path) : path_(sys::without_trailing_slashes(path)) {
  temporary_ = make_temporary(
      path_, [&](const std::string& name) { return sys::make_new_folder(name, path_); });
}

FolderSink::~FolderSink() {
  if (!temporary_.empty()) sys::remove_tree(temporary_);
}

void FolderSink::commit() {
  sync_tree(temporary_);
  SLOPE_CHECK_AS(IoError, sys::kind(path_) == sys::Kind::nothing,
                 "{}: appeared meanwhile; move it away", path_);
  sys::rename(temporary_, path_);
  sys::sync_folder(sys::parent(path_));
  temporary_.clear();
}

void FolderSink::replace() {
  // There is an old folder only if a run was killed after commit() and made this step again.
  if (sys::kind(path_) == sys::Kind::nothing) return commit();
  sync_tree(temporary_);
  if (!sys::exchange(temporary_, path_)) {
    const std::string old = move_aside(path_);
    try {
      sys::rename(temporary_, path_);
    } catch (...) {
      sys::rename(old, path_);
      throw;
    }
    temporary_ = old;
  }
  sys::sync_folder(sys::parent(path_));
  sys::remove_tree(temporary_);
  temporary_.clear();
}

LockedFolderSink::Lock::~Lock() {
  try {
    file.remove();
  } catch (const std::exception&) {  // the next one takes the lock and removes it
  }
}

std::unique_ptr<LockedFolderSink::Lock> LockedFolderSink::locked(
    const std::string& path, bool (*is_own)(std::string_view name)) {
  const std::string above = sys::parent(path);
  SLOPE_CHECK_AS(IoError, sys::is_folder(above), "{}: cannot create the folder: {} is no folder",
                 path, above);
  std::unique_ptr<Lock> lock;
  try {
    lock.reset(new Lock{FileLock(path + ".lock.tmp", path)});
  } catch (const sys::NoLocksError&) {
    return nullptr;
  }
  const size_t slash = path.rfind('/');
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  // what stays is in nobody's way
  remove_strays(above, {.links = {}, .files = {}, .is_in_folder = is_own, .folder = name});
  return lock;
}

LockedFolderSink::LockedFolderSink(const std::string& path, bool (*is_own)(std::string_view name))
    : lock_(locked(sys::without_trailing_slashes(path), is_own)), sink_(path) {}

void LockedFolderSink::commit() {
  sink_.commit();
  lock_.reset();
}

void swap_link(const std::string& link, const std::string& leads_to) {
  const sys::Kind found = sys::kind(link);
  SLOPE_CHECK_AS(IoError, found == sys::Kind::nothing || found == sys::Kind::link,
                 "{}: is no link to a checkpoint; move it away", link);
  const std::string temporary = make_temporary(
      link, [&](const std::string& name) { return sys::make_new_link(name, leads_to, link); });
  try {
    sys::rename(temporary, link);
  } catch (...) {
    sys::remove(temporary);
    throw;
  }
  sys::sync_folder(sys::parent(link));
}

void try_link(const std::string& link) try {
  const std::string temporary = make_temporary(
      link, [&](const std::string& name) { return sys::make_new_link(name, "step-0", link); });
  sys::remove(temporary);
} catch (const IoError& e) {
  const bool has_none = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
  if (!has_none) throw;
  throw IoError(fmt::format("{}; a run's folder needs symbolic links", e.what()));
}

void remove_step(const std::string& path) {
  const size_t files = sys::names_in(path).size();
  const std::string away = move_aside(path);
  if (sys::remove_tree(away)) return;
  const int error = errno;
  const bool is_whole = sys::names_in(away).size() == files;
  if (is_whole) sys::rename(away, path);
  sys::fail(is_whole ? path : away, "remove", error);
}

Strays remove_strays(const std::string& folder, const OwnFiles& own) {
  Strays strays;
  for (const std::string& name : sys::names_in(folder)) {
    try {
      if (!is_stray(folder, name, own)) continue;
      const std::string path = folder + "/" + name;
      if (!sys::remove_tree(path)) sys::fail(path, "remove", errno);
      ++strays.removed;
    } catch (const IoError& e) {
      strays.staying.emplace_back(e.what());
    }
  }
  return strays;
}

void make_folders(const std::string& given) {
  const std::string path = sys::without_trailing_slashes(given);
  const sys::Kind found = sys::kind_followed(path);
  if (found == sys::Kind::folder) return;
  SLOPE_CHECK_AS(IoError, found == sys::Kind::nothing,
                 "{}: cannot create the folder: a file of that name exists", path);
  SLOPE_CHECK_AS(IoError, sys::kind(path) != sys::Kind::link,
                 "{}: cannot create the folder: is a link that leads nowhere", path);
  const std::string above = sys::parent(path);
  if (above != path && above != ".") make_folders(above);
  try {
    sys::make_folder(path);
  } catch (const IoError&) {  // perhaps because another run made it meanwhile
    if (sys::kind_followed(path) != sys::Kind::folder) throw;
  }
  sys::sync_folder(above);
}

}  // namespace slope
#endif
