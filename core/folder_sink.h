// FolderSink: several files that become visible at one instant (a checkpoint). They are written into `step-N.tmp/`; commit() syncs each
// file and the folder, renames it to `step-N/` and syncs the parent. `last` and `best` are links, swapped by rename. Whoever owns the
// parent (FileLock) calls remove_strays() at start: after a crash *.tmp may have stayed.
#pragma once
#ifndef SLOPE_PLAIN

#include <string>

namespace slope {

class FolderSink {
 public:
  explicit FolderSink(const std::string& path);  // a `path`.tmp left by a crash is removed
  ~FolderSink();                                 // without commit(): nothing stays, an old folder of that name is as it was
  FolderSink(const FolderSink&) = delete;
  FolderSink& operator=(const FolderSink&) = delete;

  std::string file(const std::string& name) const { return temporary_ + "/" + name; }  // where to write `name` until commit()
  void commit();                                                                       // replaces an old folder of that name, if any

 private:
  std::string path_, temporary_;
};

void swap_link(const std::string& link, const std::string& leads_to);  // `leads_to` is relative to the link's folder
int remove_strays(const std::string& folder);                          // files, links and folders named *.tmp; returns how many
void make_folders(const std::string& path);                            // as mkdir -p, made durable

}  // namespace slope
#endif
