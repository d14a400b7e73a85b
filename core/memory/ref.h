// Ref<T>: an intrusive, thread-safe reference count. Smaller and cheaper than std::shared_ptr, and
// each type says what happens when the count reaches 0, in `static void destroy(T*)`: the tape's
// Node must not be freed recursively.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace slope {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  // acquire: the last holder sees all that the others wrote before they released it
  uint32_t ref_count() const { return count_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;

 private:
  template <class T>
  friend class Ref;
  mutable std::atomic<uint32_t> count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) { retain(); }
  Ref(const Ref& other) : object_(other.object_) { retain(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ && (object_->count_.load(std::memory_order_acquire) == 1 ||
                    object_->count_.fetch_sub(1, std::memory_order_acq_rel) == 1))
      T::destroy(object_);
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  template <class U>
  friend class OnceRef;
  void retain() const {
    if (object_) object_->count_.fetch_add(1, std::memory_order_relaxed);
  }
  T* object_ = nullptr;
};

// A reference that threads may set at the same time: the first one stays, and all get it.
template <class T>
class OnceRef {
 public:
  OnceRef() = default;
  OnceRef(const OnceRef& other) : OnceRef() { (void)set(Ref<T>(other.get())); }
  OnceRef& operator=(const OnceRef&) = delete;
  ~OnceRef() {
    Ref<T> last;
    last.object_ = object_.load(std::memory_order_acquire);
  }

  // What the reference is from now on: `object`, unless it was set before.
  T* set(Ref<T> object) {
    T* found = nullptr;
    if (!object_.compare_exchange_strong(found, object.get(), std::memory_order_acq_rel))
      return found;
    return std::exchange(object.object_, nullptr);
  }
  T* get() const { return object_.load(std::memory_order_acquire); }
  T* operator->() const { return get(); }
  explicit operator bool() const { return get(); }

 private:
  std::atomic<T*> object_{nullptr};
};

}  // namespace slope
