#include <slope/nn/module/mode.h>
#include <slope/nn/module/scope.h>
#include <slope/nn/module/state.h>

#include <algorithm>
#include <unordered_set>

namespace slope::nn {

constinit thread_local ModeWatch* detail::mode_watch = nullptr;

void ModeWatch::trains(const ModuleState& state, const char* type) {
  const auto is_state = [&](const Seen& s) { return s.state == &state; };
  if (std::ranges::none_of(seen_, is_state)) seen_.push_back({&state, type + Scope::around(state)});
  if (outer_) outer_->trains(state, type);
}

std::vector<std::string> ModeWatch::unlisted(ModuleRef model) const {
  std::unordered_set<const ModuleState*> listed;
  for (const auto& [name, module] : named_modules(model)) listed.insert(module.state());
  std::vector<std::string> found;
  for (const Seen& s : seen_)
    if (!listed.contains(s.state)) found.push_back(s.name);
  return found;
}

}  // namespace slope::nn
