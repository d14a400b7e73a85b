#include <slope/core/memory.h>
#include <slope/core/storage.h>

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

Ref<StorageImpl> StorageImpl::borrow(void* data, int64_t bytes, bool read_only, std::function<void()> deleter) {
  auto* storage = new (memory::allocate(header)) StorageImpl;
  Ref<StorageImpl> ref(storage);
  storage->deleter_ = new Borrowed{std::move(deleter), read_only};
  storage->data_ = data;
  storage->bytes_ = bytes;
  return ref;
}

void StorageImpl::destroy(StorageImpl* storage) {
  const size_t bytes = header + (storage->deleter_ ? 0 : static_cast<size_t>(storage->bytes_));
  if (storage->deleter_) {
    if (storage->deleter_->release) storage->deleter_->release();
    delete storage->deleter_;
  } else if (!storage->data_) {
    return memory::deallocate(storage, header);  // borrow() failed before it took the data
  }
  storage->~StorageImpl();
  memory::deallocate(storage, bytes);
}

}  // namespace slope
