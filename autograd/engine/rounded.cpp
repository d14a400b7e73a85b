#include <slope/autograd/engine/rounded.h>
#include <slope/core/kernels/elementwise/bf16_copy.h>
#include <slope/core/kernels/isa.h>
#include <slope/core/loops/parallel.h>
#include <slope/core/memory/mutex.h>

namespace slope {

namespace {

constexpr int64_t worthwhile = 1 << 14;  // elements
constexpr int64_t chunk = 1 << 15;
constexpr int64_t f32_bytes = size_of(f32), bf16_bytes = size_of(bf16);

template <class From, class To>
Storage converted(const Storage& from, int64_t bytes, int64_t n,
                  void (*convert)(int64_t n, const From*, To*)) {
  const Storage to = StorageImpl::allocate(bytes);
  const auto* x = static_cast<const From*>(from->data());
  auto* y = static_cast<To*>(to->data());
  parallel_for(n, chunk,
               [&](int64_t begin, int64_t end) { convert(end - begin, x + begin, y + begin); });
  return to;
}

Storage rounded(const Storage& s) {
  static Mutex mutex;  // two threads may record with the same tensor
  const Lock lock(mutex);
  if (!s->rounded || s->rounded_version != s->version()) {
    const int64_t n = s->bytes() / f32_bytes;
    s->rounded = converted(s, n * bf16_bytes, n, kernels<Bf16Copy>().round);
    s->rounded_version = s->version();
  }
  return s->rounded;
}

SavedValue saved(const Node& node, const Tensor& x, SavedValue::Kind kind, size_t i, bool allowed) {
  SavedValue value = save(x, kind, i);
  if (!allowed || node.autocast != bf16 || x.dtype() != f32 || x.numel() < worthwhile) return value;
  value.storage = rounded(x.storage());
  value.version = value.storage->version();
  value.dtype = bf16;
  value.rounded = true;
  return value;
}

}  // namespace

SavedValue save_input(const Node& node, const Tensor& x, size_t i) {
  // a leaf, or an output that its own node keeps in f32, stays in memory anyway
  const Ref<Node>& maker = node.inputs[i].node;
  const bool stays = !maker || (maker->op->saves.outputs && !maker->op->rounds.outputs);
  return saved(node, x, SavedValue::Kind::input, i, node.op->rounds.input(i) && !stays);
}

SavedValue save_output(const Node& node, const Tensor& y, size_t i) {
  return saved(node, y, SavedValue::Kind::output, i, node.op->rounds.outputs);
}

void widen(Node& node, const SavedValue& value) {
  const Storage from = value.storage;
  const int64_t n = from->bytes() / bf16_bytes;
  const Storage to = converted(from, n * f32_bytes, n, kernels<Bf16Copy>().widen);
  for (SavedValue& v : node.saved)
    if (v.storage == from)
      v.storage = to, v.version = to->version(), v.dtype = f32, v.rounded = false;
}

}  // namespace slope
