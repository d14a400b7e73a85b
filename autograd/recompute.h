// Whether backward computes cheap outputs again (Op::recompute) instead of saving them: it does,
// unless a scope turns this off. Then more is saved; the bits are the same.
//   { const Recompute off(false);  … }
#pragma once

namespace slope {

class Recompute {
 public:
  explicit Recompute(bool enabled) : before_(enabled_) { enabled_ = enabled; }
  ~Recompute() { enabled_ = before_; }
  Recompute(const Recompute&) = delete;
  Recompute& operator=(const Recompute&) = delete;

  static bool enabled() { return enabled_; }

 private:
  bool before_;
  static inline constinit thread_local bool enabled_ = true;
};

}  // namespace slope
