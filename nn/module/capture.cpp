#include <slope/core/module_path.h>
#include <slope/nn/module/capture.h>
#include <slope/nn/module/scope.h>

#include <algorithm>

namespace slope::nn {

namespace {
thread_local CaptureAttention* innermost = nullptr;

std::string path_now() { return current_module() ? current_module() : ""; }
}  // namespace

CaptureAttention::CaptureAttention(std::string pattern)
    : pattern_(std::move(pattern)), outer_(innermost) {
  innermost = this;
}
// *this is not always the innermost: a vector, say, destroys its elements from first to last
CaptureAttention::~CaptureAttention() {
  CaptureAttention** link = &innermost;
  while (*link && *link != this) link = &(*link)->outer_;
  if (*link) *link = outer_;
}

std::vector<std::string> CaptureAttention::paths() const {
  std::vector<std::string> all;
  for (const Map& map : maps_)
    if (std::find(all.begin(), all.end(), map.path) == all.end()) all.push_back(map.path);
  return all;
}

Tensor CaptureAttention::last(const std::string& pattern) const {
  for (auto map = maps_.rbegin(); map != maps_.rend(); ++map)
    if (path_matches(map->path, pattern)) return map->weights;
  std::string seen;
  for (const auto& path : paths()) seen += (seen.empty() ? "" : ", ") + path;
  throw UsageError(fmt::format("attention: no module '{}' was captured; captured: {}", pattern,
                               seen.empty() ? "none" : seen));
}

bool attention_is_captured() {
  for (const CaptureAttention* c = innermost; c; c = c->outer_)
    if (path_matches(path_now(), c->pattern_)) return true;
  return false;
}

bool any_attention_is_captured() { return innermost != nullptr; }

void capture_attention(const Tensor& weights) {
  const std::string path = path_now();
  for (CaptureAttention* c = innermost; c; c = c->outer_)
    if (path_matches(path, c->pattern_)) c->maps_.push_back({path, weights.detach()});
}

}  // namespace slope::nn
