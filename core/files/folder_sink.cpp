#include <slope/core/files/folder_sink.h>
#ifndef SLOPE_PLAIN

#include <slope/core/error.h>
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

// Throws if the temporary's path holds something of another kind than a crash leaves there.
void check_in_the_way(const std::string& temporary, sys::Kind own) {
  const sys::Kind found = sys::kind(temporary);
  SLOPE_CHECK_AS(IoError, found == sys::Kind::nothing || found == own,
                 "{}: is in the way and not slope's; move it away", temporary);
}

// As slope writes one: without leading zeros, no longer than an int64_t.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && (text == "0" || text[0] != '0') &&
         text.find_first_not_of("0123456789") == text.npos;
}

// What FolderSink (step-N.tmp), swap_link (LINK.tmp) and FileSink (FILE.PID-N.tmp) leave in a
// crash; empty for every other name.
std::optional<sys::Kind> kind_of_stray(std::string_view name,
                                       std::span<const std::string_view> links,
                                       std::span<const std::string_view> files) {
  constexpr std::string_view end = ".tmp";
  if (!name.ends_with(end)) return std::nullopt;
  name.remove_suffix(end.size());
  if (is_step(name)) return sys::Kind::folder;
  if (std::find(links.begin(), links.end(), name) != links.end()) return sys::Kind::link;
  const size_t dot = name.rfind('.'), dash = name.rfind('-');
  if (dot == name.npos || dash == name.npos || dash < dot) return std::nullopt;
  const bool numbered =
      is_number(name.substr(dot + 1, dash - dot - 1)) && is_number(name.substr(dash + 1));
  const bool own = std::find(files.begin(), files.end(), name.substr(0, dot)) != files.end();
  return numbered && own ? std::optional(sys::Kind::file) : std::nullopt;
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

bool is_step(std::string_view name) {
  constexpr std::string_view step = "step-";
  return name.starts_with(step) && is_number(name.substr(step.size()));
}

FolderSink::FolderSink(const std::string& path) : path_(without_trailing_slashes(path)) {
  const std::string temporary = path_ + ".tmp";
  check_in_the_way(temporary, sys::Kind::folder);
  if (!sys::remove_tree(temporary)) sys::fail(temporary, "remove", errno);
  sys::make_folder(temporary);
  temporary_ = temporary;
}

FolderSink::~FolderSink() {
  if (!temporary_.empty()) sys::remove_tree(temporary_);
}

void FolderSink::commit() {
  sync_tree(temporary_);
  // a run killed before it swapped `last` arrives at this step again
  if (sys::kind(path_) != sys::Kind::nothing) {
    sys::exchange(temporary_, path_);
    sys::sync_folder(sys::parent(path_));
    sys::remove_tree(temporary_);
  } else {
    sys::rename(temporary_, path_);
    sys::sync_folder(sys::parent(path_));
  }
  temporary_.clear();
}

void swap_link(const std::string& link, const std::string& leads_to) {
  const std::string temporary = link + ".tmp";
  check_in_the_way(temporary, sys::Kind::link);
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

int remove_strays(const std::string& folder, std::span<const std::string_view> links,
                  std::span<const std::string_view> files) {
  int removed = 0;
  for (const std::string& name : sys::names_in(folder)) {
    const std::string path = folder + "/" + name;
    const std::optional<sys::Kind> made = kind_of_stray(name, links, files);
    if (!made || sys::kind(path) != *made) continue;
    if (!sys::remove_tree(path)) sys::fail(path, "remove", errno);
    ++removed;
  }
  return removed;
}

void make_folders(const std::string& given) {
  const std::string path = without_trailing_slashes(given);
  const sys::Kind found = sys::kind_followed(path);
  if (found == sys::Kind::folder) return;
  SLOPE_CHECK_AS(IoError, found == sys::Kind::nothing,
                 "{}: cannot create the folder: a file of that name exists", path);
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
