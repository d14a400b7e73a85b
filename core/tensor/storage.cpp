#include <slope/core/error.h>
#include <slope/core/memory/memory.h>
#include <slope/core/tensor/storage.h>

#include <cstdint>
#include <new>

namespace slope {

namespace {
constexpr size_t header = 64;  // one cache line, so that the data stay aligned
static_assert(sizeof(StorageImpl) <= header);
}  // namespace

Ref<StorageImpl> StorageImpl::allocate(int64_t bytes) {
  if constexpr (sizeof(size_t) < sizeof(int64_t))  // a size of 32 bits would wrap around
    SLOPE_CHECK_AS(MemoryError, bytes <= PTRDIFF_MAX - static_cast<int64_t>(header),
                   "out of memory: {} bytes requested, {} in use", bytes, memory::stats().live);
  auto* block = static_cast<std::byte*>(memory::allocate(header + static_cast<size_t>(bytes)));
  auto* storage = new (block) StorageImpl;
  storage->data_ = block + header;
  storage->bytes_ = bytes;
  return Ref<StorageImpl>(storage);
}

void StorageImpl::destroy(StorageImpl* storage) {
  const size_t bytes = header + static_cast<size_t>(storage->bytes_);
  storage->~StorageImpl();
  memory::deallocate(storage, bytes);
}

}  // namespace slope
