// AutogradMeta: what autograd stores with a tensor. Private to autograd.
#pragma once

#include <slope/autograd/node.h>

namespace slope {

struct AutogradMeta : Meta, memory::Allocated {
  Ref<Node> node;  // null for a leaf
  uint32_t output = 0;
  bool requires_grad = false;
  OnceRef<GradSlot> slot;  // a leaf that requires a gradient always has one

  void check_write() const override;
  std::string text() const override;
};

inline AutogradMeta* autograd_meta(const TensorImpl& x) {  // null where there is none
  return static_cast<AutogradMeta*>(x.meta.get());
}
inline AutogradMeta* autograd_meta(const Tensor& x) { return autograd_meta(x.impl()); }
// Creates the slot if there is none, for all threads the same; a result's node shares it.
GradSlot& ensure_grad_slot(const Tensor& x);

// Makes x output `output` of `node`.
void connect(const Tensor& x, const Ref<Node>& node, uint32_t output);

}  // namespace slope
