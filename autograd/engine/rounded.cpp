#include <slope/autograd/engine/rounded.h>
#include <slope/core/loops/copy.h>

namespace slope {

static SavedValue saved(const Node& node, const Tensor& x, SavedValue::Kind kind, size_t i,
                        bool allowed) {
  constexpr int64_t worthwhile = 1 << 14;  // elements
  SavedValue value = save(x, kind, i);
  if (!allowed || node.autocast != bf16 || x.dtype() != f32 || x.numel() < worthwhile) return value;
  value.storage = bf16_twin(x.storage());
  value.version = value.storage->version();
  value.dtype = bf16;
  value.rounded = true;
  return value;
}

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
  const Tensor all(from, Layout::contiguous({from->bytes() / size_of(bf16)}), bf16);
  const Storage to = contiguous_copy(all, f32).storage();
  for (SavedValue& v : node.saved)
    if (v.storage == from)
      v.storage = to, v.version = to->version(), v.dtype = f32, v.rounded = false;
}

}  // namespace slope
