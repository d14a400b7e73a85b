// Modes of this thread. A guard changes a mode for a scope and restores the previous value at its
// end, also after an exception.
//   { NoGrad no_grad;  … }      { EnableGrad enable_grad;  … }      { DetectAnomaly anomaly;  … }
#pragma once

#include <memory>

namespace slope {

class GradMode {
 public:
  explicit GradMode(bool enabled) : before_(enabled_) { enabled_ = enabled; }
  ~GradMode() { enabled_ = before_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

  static bool enabled() { return enabled_; }

 private:
  bool before_;
  static inline constinit thread_local bool enabled_ = true;
};
inline bool grad_enabled() { return GradMode::enabled(); }  // whether operations are recorded
struct NoGrad : GradMode {
  NoGrad() : GradMode(false) {}
};
struct EnableGrad : GradMode {
  EnableGrad() : GradMode(true) {}
};

bool anomaly_enabled();
// Anomaly mode: backward stops at the first gradient that is not finite and names the operation,
// its module, the calls that recorded it, and the element.
class DetectAnomaly {
 public:
  explicit DetectAnomaly(bool enabled = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  bool before_;
  std::unique_ptr<class Observe> observe_;
};

}  // namespace slope
