#include <slope/core/memory/memory.h>
#include <slope/core/tensor/storage.h>

#include <new>

namespace slope {

namespace {
constexpr size_t header = 64;  // one cache line, so that the data stay aligned
static_assert(sizeof(StorageImpl) <= header);
}  // namespace

Ref<StorageImpl> StorageImpl::allocate(int64_t bytes) {
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
