// How a derivative reads a saved value: find it, check that it is unchanged, connect it.
#include <slope/autograd/engine/kept.h>
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/ops.h>

#include <cstring>

namespace slope {

bool Saved::needs(int i) const { return pass_->wants(node_.inputs[static_cast<size_t>(i)]); }
int Saved::inputs() const { return static_cast<int>(node_.inputs.size()); }
Tensor Saved::leaf(int i) const { return Tensor(node_.inputs[static_cast<size_t>(i)].leaf); }

const Dims& Saved::input_shape(int i) const {
  const Edge& edge = node_.inputs[static_cast<size_t>(i)];
  SLOPE_CHECK_AS(AutogradError, static_cast<bool>(edge),
                 "{}: the derivative asks for the shape of input {}, which needs no gradient",
                 node_.op->name, i);
  return edge.shape();
}

Tensor Saved::grad_or_zeros(int i) const {
  if (grads_[i].defined()) return grads_[i];
  const OutputInfo& info = node_.outputs[static_cast<size_t>(i)];
  return zeros(info.shape, info.dtype);
}

const decltype(Attribute::value)& Saved::find(const char* name) const {
  if (const Attribute* attribute = slope::find(node_.attributes, name)) return attribute->value;
  throw AutogradError(fmt::format(
      "{}: the derivative asks for attribute '{}', which was not recorded", node_.op->name, name));
}

Tensor Saved::unpack(SavedValue::Kind kind, int i, bool as_kept) const {
  const bool is_input = kind == SavedValue::Kind::input;
  if (is_input && !roots_.empty()) return roots_[static_cast<size_t>(i)];
  constexpr const char* kinds[] = {"input", "output", "extra value"};
  const char* what = kinds[static_cast<int>(kind)];
  SLOPE_CHECK_AS(AutogradError, !node_.freed,
                 "{}: what backward needs was freed by an earlier backward through this graph; set "
                 "retain_graph there to run it again",
                 node_.op->name);
  const auto value = std::find_if(node_.saved.begin(), node_.saved.end(), [&](const SavedValue& v) {
    return v.kind == kind && v.index == static_cast<size_t>(i);
  });
  SLOPE_CHECK_AS(AutogradError, value != node_.saved.end(),
                 "{}: the derivative asks for {} {}, which was not saved", node_.op->name, what, i);
  if (value->rounded && !(as_kept && !connected_)) widen(node_, *value);
  const Storage& storage = value->storage;
  SLOPE_CHECK_AS(AutogradError, !storage || value->version == storage->version(),
                 "{}: {} {} of shape {} was written after the forward used it (version {}, now "
                 "{}); write to a clone() instead",
                 node_.op->name, what, i, value->layout.shape, value->version, storage->version());
  if (!connected_ && storage) return Tensor(storage, value->layout, value->dtype);
  const Edge edge = is_input ? node_.inputs[static_cast<size_t>(i)]
                             : Edge{Ref<Node>(&node_), nullptr, static_cast<uint32_t>(i)};
  if (connected_ && edge.leaf) {
    SLOPE_CHECK_AS(AutogradError, edge.leaf->storage == storage,
                   "{}: {} {} of shape {} was given other memory after the forward used it",
                   node_.op->name, what, i, value->layout.shape);
    return Tensor(edge.leaf);
  }
  const Tensor x =
      storage ? Tensor(storage, value->layout, value->dtype) : recompute_output(*edge.node, pass_);
  if (connected_ && edge.node && kind != SavedValue::Kind::extra && is_floating(x.dtype()))
    connect(x, edge.node, edge.output);
  return x;
}

}  // namespace slope
