#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/nn/transformer/kv_cache.h>

#include <algorithm>

namespace slope::nn {

Tensor GrowingTensor::all() const { return room_.narrow(2, 0, length_); }

bool GrowingTensor::is_ours_alone() const {
  return room_.defined() && room_.impl().ref_count() == 1 && room_.storage()->ref_count() == 1 &&
         !room_.requires_grad();
}

Tensor GrowingTensor::append(const Tensor& x) {
  SLOPE_CHECK_DTYPE(!room_.defined() || x.dtype() == room_.dtype(),
                    "kv cache: the dtype must stay {}, got {}", name(room_.dtype()),
                    name(x.dtype()));
  const int64_t T = x.size(2);
  if (!room_.defined()) length_ = 0;  // a moved-from object
  if (grad_enabled() && (x.requires_grad() || (room_.defined() && room_.requires_grad()))) {
    room_ = room_.defined() ? cat({all(), x}, 2) : x.clone();
    length_ += T;
    return room_;
  }
  if (!is_ours_alone() || length_ + T > room_.size(2)) {
    Dims shape = x.shape();
    shape[2] = 1;
    const int64_t least =
        65536 /
        std::max<int64_t>(1, numel(shape) * static_cast<int64_t>(size_of(x.dtype())));  // 64 KiB
    shape[2] = std::max({int64_t{16}, least, 2 * length_, length_ + T});
    const Tensor larger = Tensor::empty(shape, x.dtype());
    if (room_.defined()) copy_into(all(), larger.narrow(2, 0, length_));
    room_ = larger;
  }
  copy_into(x, room_.narrow(2, length_, T));
  length_ += T;
  return all();
}

void GrowingTensor::select(const Tensor& rows) {
  // keeps the free room for the next append
  if (room_.defined()) room_ = index_select(room_, 0, rows);
}

void KvCache::select(const Tensor& rows) {
  k_.select(rows);
  v_.select(rows);
  if (memory_.k.defined())
    memory_ = {index_select(memory_.k, 0, rows), index_select(memory_.v, 0, rows)};
}

}  // namespace slope::nn
