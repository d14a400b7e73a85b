#include <slope/core/loops/copy.h>
#include <slope/core/tensor/tensor.h>

namespace slope {

Tensor::Tensor(Storage storage, Layout layout, DType dtype) : impl_(new TensorImpl) {
  SLOPE_CHECK_INDEX(
      storage && layout.is_within(storage->bytes() / size_of(dtype)),
      "tensor: shape {} with strides {} and offset {} does not lie within a storage of {} bytes",
      layout.shape, layout.strides, layout.offset, storage ? storage->bytes() : 0);
  impl_->storage = std::move(storage);
  impl_->layout = std::move(layout);
  impl_->dtype = dtype;
}

Tensor Tensor::empty(const Dims& shape, DType dtype) {
  Ref<TensorImpl> impl(new TensorImpl);
  impl->layout = Layout::contiguous(shape);
  impl->dtype = dtype;
  Tensor x(std::move(impl));
  x.impl_->storage = StorageImpl::allocate(checked_mul(x.numel(), size_of(dtype)));
  return x;
}

void Tensor::refuse_undefined() {
  throw Error("an undefined tensor was used (it was default-constructed or moved from)");
}
void Tensor::refuse_dtype(DType asked) const {
  throw DTypeError(fmt::format("data: the tensor is {}, not {}", name(dtype()), name(asked)));
}

void* Tensor::writable_address(DType asked) const {
  if (impl().meta) impl().meta->check_write();
  return const_cast<void*>(address(asked));
}

double Tensor::item() const {
  return visit(dtype(), [&]<class T> { return static_cast<double>(item<T>()); });
}

std::vector<double> Tensor::to_vector() const {
  const Tensor x = is_contiguous() ? *this : contiguous_copy(*this);
  std::vector<double> values(static_cast<size_t>(numel()));
  visit(dtype(), [&]<class T> {
    const T* from = x.data<T>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(from[i]);
  });
  return values;
}

}  // namespace slope
