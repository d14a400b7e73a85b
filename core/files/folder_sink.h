// FolderSink: several files that become visible at one instant (a checkpoint). They are written
// into `step-N.PID-M.tmp/`; commit() syncs each file and the folder, renames it to `step-N/` and
// syncs the parent. `last` and `best` are links, swapped by rename. The holder of the parent's
// FileLock calls remove_strays() at start, because a crash can leave temporaries. Temporaries are
// recognised by name, kind and content: everything else is left alone.
#pragma once
#ifndef SLOPE_PLAIN

#include <slope/core/files/file_lock.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slope {

class FolderSink {
 public:
  explicit FolderSink(const std::string& path);
  ~FolderSink();  // without commit(): nothing stays, and an old folder of that name is unchanged
  FolderSink(const FolderSink&) = delete;
  FolderSink& operator=(const FolderSink&) = delete;

  // where to write `name` before commit()
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }
  void commit();  // IoError if the name is taken
  // The same, but replaces an old folder of that name, if any. Where the file system cannot
  // exchange two names, a crash may leave both folders, whole, under temporary names.
  void replace();

 private:
  std::string path_, temporary_;
};

// A FolderSink for a folder that lies in no run. While it writes PATH, it holds the lock
// PATH.lock.tmp, as a run's process holds RUN/lock. A kill leaves that file and PATH.PID-N.tmp/.
// The next one that writes PATH takes the lock and removes both, if only files of the sink's own
// are in the folder. Where the file system has no locks, the folder stays.
class LockedFolderSink {
 public:
  // `is_own`: whether the folder may hold a file of that name. UsageError if another process writes
  // this folder.
  LockedFolderSink(const std::string& path, bool (*is_own)(std::string_view name));

  std::string file(const std::string& name) const { return sink_.file(name); }
  void commit();  // as FolderSink's

 private:
  struct Lock {
    FileLock file;
    ~Lock();  // removes the file
  };
  static std::unique_ptr<Lock> locked(const std::string& path,
                                      bool (*is_own)(std::string_view name));

  std::unique_ptr<Lock> lock_;  // null if there are no locks; released after the sink
  FolderSink sink_;
};

// `leads_to` is relative to the link's folder; IoError if `link` exists and is no link
void swap_link(const std::string& link, const std::string& leads_to);
// IoError if the file system has no links: known before a run trains, not when it saves
void try_link(const std::string& link);
bool is_step(std::string_view name);  // "step-20", as slope writes it: not "step-020"
// Removes a folder with its content. If that is cut short, remove_strays() finishes it. IoError if
// anything cannot be removed; if nothing can, the folder keeps its name.
void remove_step(const std::string& path);

struct OwnFiles {
  struct File {
    std::string_view name, begin;  // content starts with `begin`
  };
  std::span<const std::string_view> links;
  std::span<const File> files;
  bool (*is_in_folder)(std::string_view name);  // whether step-N may hold a file of that name
  std::string_view folder = {};  // if not empty, the folder that was made, instead of step-N
};
// Removes only what a crash left: temporary folders of a `step-N` with nothing foreign in them,
// links to a `step-N`, and files. The caller holds the lock under which they are made.
struct Strays {
  int removed = 0;
  std::vector<std::string> staying;  // why, for each that could not be removed
};
Strays remove_strays(const std::string& folder, const OwnFiles& own);
void make_folders(const std::string& path);  // like mkdir -p, but durable

}  // namespace slope
#endif
