#include <slope/core/memory/mutex.h>
#include <slope/core/module_path.h>

#include <unordered_set>

namespace slope {

namespace {
thread_local const char* module_path = nullptr;
}

const char* current_module() { return module_path; }
void set_current_module(const char* path) { module_path = path; }

const char* intern_path(const std::string& path) {
  static Mutex mutex;
  static auto* const paths = new std::unordered_set<std::string>;
  const Lock lock(mutex);
  return paths->insert(path).first->c_str();
}

}  // namespace slope
