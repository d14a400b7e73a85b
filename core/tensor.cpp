#include <slope/core/memory.h>
#include <slope/core/tensor.h>

namespace slope {

void* TensorImpl::operator new(size_t bytes) { return memory::allocate(bytes); }
void TensorImpl::operator delete(void* impl, size_t bytes) { memory::deallocate(impl, bytes); }

Tensor::Tensor(Storage storage, Layout layout, DType dtype) : impl_(new TensorImpl) {
  const auto [first, last] = layout.extent();
  SLOPE_CHECK_INDEX(first >= 0 && last <= storage->bytes() / size_of(dtype), "tensor: shape {} with strides {} and offset {} leaves its storage of {} bytes",
                    layout.shape, layout.strides, layout.offset, storage->bytes());
  impl_->storage = std::move(storage);
  impl_->layout = std::move(layout);
  impl_->dtype = dtype;
}

Tensor Tensor::empty(const Dims& shape, DType dtype) {
  Ref<TensorImpl> impl(new TensorImpl);
  impl->layout = Layout::contiguous(shape);
  impl->storage = StorageImpl::allocate(checked_mul(impl->layout.numel(), size_of(dtype)));
  impl->dtype = dtype;
  return Tensor(std::move(impl));
}

TensorImpl& Tensor::impl() const {
  SLOPE_CHECK(impl_, "an undefined tensor was used (it was default-constructed or moved from)");
  return *impl_;
}

const void* Tensor::address(DType asked) const {
  SLOPE_CHECK_DTYPE(asked == dtype(), "data: the tensor is {}, not {}", name(dtype()), name(asked));
  return static_cast<const std::byte*>(storage()->data()) + layout().offset * size_of(asked);
}

void* Tensor::writable_address(DType asked) const {
  SLOPE_CHECK(!storage()->read_only(), "write: the tensor's memory is read-only; clone() it first");
  if (impl().meta) impl().meta->check_write();
  return const_cast<void*>(address(asked));
}

double Tensor::item() const {
  return visit(dtype(), [&]<class T> { return static_cast<double>(item<T>()); });
}

std::vector<double> Tensor::to_vector() const {
  const int64_t n = numel();
  std::vector<double> values;
  values.reserve(static_cast<size_t>(n));
  visit(dtype(), [&]<class T> {
    const T* x = data<T>();
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, at = 0;
      for (int64_t d = rank() - 1; d >= 0; --d) {
        at += rest % shape()[d] * strides()[d];
        rest /= shape()[d];
      }
      values.push_back(static_cast<double>(x[at]));
    }
  });
  return values;
}

}  // namespace slope
