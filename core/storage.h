// Storage: a counted block of bytes with a version. The bytes are the allocator's, a mapped file's, or somebody else's (a deleter says how
// to let go). The version counts writes: the tape compares it to know whether a value that it kept has changed since.
#pragma once

#include <slope/core/ref.h>

#include <functional>

namespace slope {

class StorageImpl : public RefCounted {
 public:
  static Ref<StorageImpl> allocate(int64_t bytes);  // not initialised; header and bytes are one block
  static Ref<StorageImpl> borrow(void* data, int64_t bytes, bool read_only, std::function<void()> deleter);

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool is_borrowed() const { return deleter_ != nullptr; }  // who lent the memory may look at it
  bool read_only() const { return deleter_ && deleter_->read_only; }
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

  static void destroy(StorageImpl* storage);

 private:
  struct Borrowed {
    std::function<void()> release;
    bool read_only;
  };
  StorageImpl() = default;

  void* data_ = nullptr;
  int64_t bytes_ = 0;
  Borrowed* deleter_ = nullptr;  // null: the bytes follow the header in the allocator's block
  std::atomic<uint32_t> version_{0};
};

using Storage = Ref<StorageImpl>;

}  // namespace slope
