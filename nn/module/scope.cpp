#include <slope/core/memory/fork.h>
#include <slope/core/memory/mutex.h>
#include <slope/core/module_path.h>
#include <slope/nn/module/at_each_module.h>
#include <slope/nn/module/capture.h>
#include <slope/nn/module/scope.h>

#include <map>

namespace slope::nn {

// The path of a module that runs inside another's scope. Interned: one for each different pair of
// `outer` and `path`.
struct ScopeName {
  // the outer scope's path; the kind of its module if it has no path; null without an outer scope
  const void* outer;
  const char* path;
};

namespace {

thread_local const Scope* innermost_scope = nullptr;
thread_local void (*at_each_module)() = nullptr;

Mutex names_mutex;
[[maybe_unused]] const bool names_are_held = hold_over_fork(ForkOrder::tables, names_mutex);

const ScopeName* intern_name(const void* outer, const char* path) {
  const Lock lock(names_mutex);
  static auto* const names = new std::map<std::pair<const void*, const char*>, ScopeName>;
  return &names->try_emplace({outer, path}, ScopeName{outer, path}).first->second;
}

// Appends the path of `wanted` below `module` to `path`; false if it is not there.
bool find_below(const ModuleRef& module, const ModuleRef& wanted, std::string& path) {
  for (const Field& field : module.fields()) {
    if (!field.module) continue;
    const size_t length = path.size();
    path += (length ? "." : "") + field.name;
    if (*field.module == wanted || find_below(*field.module, wanted, path)) return true;
    path.resize(length);
  }
  return false;
}

}  // namespace

AtEachModule::AtEachModule(void (*call)()) : before_(at_each_module) { at_each_module = call; }
AtEachModule::~AtEachModule() { at_each_module = before_; }

Scope::Scope(ModuleRef module, const ModuleState& state)
    : module_(module), outer_(innermost_scope), outer_path_(current_module()) {
  if (at_each_module) at_each_module();
  const void* outer = !outer_         ? nullptr
                      : outer_->path_ ? static_cast<const void*>(outer_->path_)
                                      : outer_->module_.kind();
  const ScopeName* name = state.name.load(std::memory_order_acquire);
  // moving a std::vector moves none of its modules: what a capture keeps is looked up anew
  if (!name || name->outer != outer || any_attention_is_captured()) {
    name = intern_name(outer, find());
    state.name.store(name, std::memory_order_release);
  }
  path_ = name->path;
  innermost_scope = this;
  set_current_module(path_);
}

Scope::~Scope() {
  innermost_scope = outer_;
  set_current_module(outer_path_);
}

std::string Scope::around(const ModuleState& state) {
  for (const Scope* s = innermost_scope; s; s = s->outer_) {
    if (s->module_.state() == &state) continue;
    if (s->path_) return std::string(" in module ") + s->path_;
    if (!s->outer_) return std::string(" in ") + s->module_.type();
  }
  return "";
}

const char* Scope::find() const {
  for (const Scope* outer = outer_; outer; outer = outer->outer_) {
    if (outer->module_ == module_) return outer->path_;
    std::string path = outer->path_ ? outer->path_ : "";
    if (find_below(outer->module_, module_, path)) return intern_path(path);
  }
  return nullptr;  // part of no module that is running: an outermost one
}

bool path_matches(const std::string& path, const std::string& pattern) {
  // on a mismatch, the last * takes one more character
  const auto matches = [](const char* text, const char* glob) {
    const char *star = nullptr, *resume = nullptr;
    while (*text) {
      if (*glob == '*') {
        star = glob++;
        resume = text;
      } else if (*glob == *text) {
        ++glob;
        ++text;
      } else if (star) {
        glob = star + 1;
        text = ++resume;
      } else {
        return false;
      }
    }
    while (*glob == '*') ++glob;
    return *glob == 0;
  };
  for (size_t start = 0;; ++start) {
    if (matches(path.c_str() + start, pattern.c_str())) return true;
    start = path.find('.', start);
    if (start == std::string::npos) return false;
  }
}

}  // namespace slope::nn
