// Storage: a reference-counted block of bytes with a version. The version counts writes: the tape
// compares it to detect that a saved value has changed.
#pragma once

#include <slope/core/memory/ref.h>

namespace slope {

class StorageImpl : public RefCounted {
 public:
  // not initialised; header and bytes are one block
  static Ref<StorageImpl> allocate(int64_t bytes);

  void* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void bump_version() { version_.fetch_add(1, std::memory_order_relaxed); }

  static void destroy(StorageImpl* storage);

 private:
  friend Ref<StorageImpl> bf16_twin(const Ref<StorageImpl>& storage);  // core/loops/copy.h
  StorageImpl() = default;

  void* data_ = nullptr;
  int64_t bytes_ = 0;
  std::atomic<uint32_t> version_{0};
  uint32_t twin_version_ = 0;   // this storage's version when it got its twin
  Ref<StorageImpl> bf16_twin_;  // its f32 numbers in bf16, once bf16_twin() was called
};

using Storage = Ref<StorageImpl>;

}  // namespace slope
