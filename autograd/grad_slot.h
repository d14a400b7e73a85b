// GradSlot: a tensor's gradient and hooks. A result shares its slot with the node that made the
// result: neither has to outlive the other.
#pragma once

#include <slope/autograd/grad_lock_holders.h>
#include <slope/core/tensor/tensor.h>

#ifndef SLOPE_PLAIN
#include <thread>
#endif

namespace slope {

using Hook = std::function<Tensor(const Tensor& grad)>;

struct GradSlot : RefCounted, memory::Allocated {
  Tensor grad;
  std::vector<Hook> hooks;
  std::atomic<bool> has_hooks{false};     // so that passes without hooks take no lock
  std::atomic<bool> retains_grad{false};  // retain_grad() was called on a result
  std::atomic_flag is_locked{};           // guards `grad` and `hooks`: threads may share a leaf
  Tensor read();
  void replace(Tensor given);
  void add(Hook hook);
  std::vector<Hook> hooks_now();
  static void destroy(GradSlot* slot) { delete slot; }
};

// Locks a slot's gradient for a scope.
class GradLock {
 public:
  explicit GradLock(GradSlot& slot) : slot_(&slot) {
    GradLockHolders::enter();
    while (slot.is_locked.test_and_set(std::memory_order_acquire)) pause();
  }
  GradLock(GradLock&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
  ~GradLock() {
    if (!slot_) return;
    slot_->is_locked.clear(std::memory_order_release);
    GradLockHolders::leave();
  }

 private:
  static void pause() {
#ifndef SLOPE_PLAIN
    std::this_thread::yield();
#endif
  }
  GradSlot* slot_;
};

inline Tensor GradSlot::read() {
  const GradLock lock(*this);
  return grad;
}
inline void GradSlot::replace(Tensor given) {
  const GradLock lock(*this);
  std::swap(grad, given);  // the old gradient is destroyed after unlocking
}
inline void GradSlot::add(Hook hook) {
  const GradLock lock(*this);
  hooks.push_back(std::move(hook));
  has_hooks.store(true, std::memory_order_release);
}
inline std::vector<Hook> GradSlot::hooks_now() {
  if (!has_hooks.load(std::memory_order_acquire)) return {};
  const GradLock lock(*this);
  return hooks;
}

}  // namespace slope
