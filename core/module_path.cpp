#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>
#include <slope/core/module_path.h>

#include <unordered_set>

namespace slope {

namespace {
thread_local const char* module_path = nullptr;
Mutex paths_mutex;
[[maybe_unused]] const bool paths_are_held = hold_over_fork(ForkOrder::tables, paths_mutex);
}  // namespace

const char* current_module() { return module_path; }
void set_current_module(const char* path) { module_path = path; }

const char* intern_path(const std::string& path) {
  const Lock lock(paths_mutex);
  static auto* const paths = new std::unordered_set<std::string>;
  return paths->insert(path).first->c_str();
}

}  // namespace slope
