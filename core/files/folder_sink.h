// FolderSink: several files that become visible at one instant (a checkpoint). They are written
// into `step-N.tmp/`; commit() syncs each file and the folder, renames it to `step-N/` and syncs
// the parent. `last` and `best` are links, swapped by rename. The owner of the parent (FileLock)
// calls remove_strays() at start, because a crash can leave temporaries. Temporaries are recognised
// by name and kind: anything of another kind under such a name is an IoError and never removed.
#pragma once
#ifndef SLOPE_PLAIN

#include <span>
#include <string>
#include <string_view>

namespace slope {

class FolderSink {
 public:
  explicit FolderSink(const std::string& path);  // removes a `path`.tmp left by a crash
  ~FolderSink();  // without commit(): nothing stays, and an old folder of that name is unchanged
  FolderSink(const FolderSink&) = delete;
  FolderSink& operator=(const FolderSink&) = delete;

  // where to write `name` before commit()
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }
  void commit();  // replaces an old folder of that name, if any

 private:
  std::string path_, temporary_;
};

// `leads_to` is relative to the link's folder
void swap_link(const std::string& link, const std::string& leads_to);
bool is_step(std::string_view name);  // "step-20", as slope writes it: not "step-020"
// Removes what a crash left of `step-N` folders, of these links and of these files: folders
// step-N.tmp, links LINK.tmp, files FILE.PID-N.tmp, and nothing else. Returns how many.
int remove_strays(const std::string& folder, std::span<const std::string_view> links,
                  std::span<const std::string_view> files);
void make_folders(const std::string& path);  // as mkdir -p, made durable

}  // namespace slope
#endif
