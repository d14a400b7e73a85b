#include <slope/core/folder_sink.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
#include <slope/core/system_call.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

namespace slope {
namespace fs = std::filesystem;
namespace {

// Everything below `path` and itself; true where nothing is left. Goes on after a failure: what can be removed is removed.
bool remove_tree(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(path, error))) {
    std::vector<fs::path> entries;
    for (auto it = fs::directory_iterator(path, error); !error && it != fs::directory_iterator(); it.increment(error))
      entries.push_back(*it);
    for (const auto& entry : entries) remove_tree(entry);
  }
  return sys::remove(path.string()) || errno == ENOENT;
}

void sync_tree(const fs::path& folder) {
  std::error_code error;
  auto it = fs::directory_iterator(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string path = it->path().string();
    if (it->is_symlink()) continue;
    if (it->is_directory()) {
      sync_tree(path);
      continue;
    }
    const int fd = sys::open(path, O_RDONLY);
    try {
      sys::sync(fd, path);
    } catch (...) {
      ::close(fd);
      throw;
    }
    ::close(fd);
  }
  if (error) sys::fail(folder.string(), "list the folder", error.value());
  sys::sync_folder(folder.string());
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

FolderSink::FolderSink(const std::string& path) : path_(without_trailing_slashes(path)) {
  const std::string temporary = path_ + ".tmp";
  if (!remove_tree(temporary)) sys::fail(temporary, "remove", errno);
  sys::make_folder(temporary);
  temporary_ = temporary;
}

FolderSink::~FolderSink() {
  if (!temporary_.empty()) remove_tree(temporary_);
}

void FolderSink::commit() {
  sync_tree(temporary_);
  std::error_code error;
  if (fs::exists(fs::symlink_status(path_, error))) {  // a run killed before it swapped `last` comes to this step again
    sys::exchange(temporary_, path_);
    sys::sync_folder(sys::parent(path_));
    remove_tree(temporary_);
  } else {
    sys::rename(temporary_, path_);
    sys::sync_folder(sys::parent(path_));
  }
  temporary_.clear();
}

void swap_link(const std::string& link, const std::string& leads_to) {
  const std::string temporary = link + ".tmp";
  sys::remove(temporary);
  sys::make_link(temporary, leads_to);
  try {
    sys::rename(temporary, link);
  } catch (...) {
    sys::remove(temporary);
    throw;
  }
  sys::sync_folder(sys::parent(link));
}

int remove_strays(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> strays;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error))
    if (it->path().extension() == ".tmp") strays.push_back(it->path());
  if (error) sys::fail(folder, "list the folder", error.value());
  for (const auto& stray : strays)
    if (!remove_tree(stray)) sys::fail(stray.string(), "remove", errno);
  return static_cast<int>(strays.size());
}

void make_folders(const std::string& given) {
  const std::string path = without_trailing_slashes(given);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return;
  SLOPE_CHECK_AS(IoError, !fs::exists(status), "{}: cannot create the folder: a file of that name exists", path);
  const std::string above = sys::parent(path);
  if (above != path && above != ".") make_folders(above);
  sys::make_folder(path);
  sys::sync_folder(above);
}

}  // namespace slope
#endif
