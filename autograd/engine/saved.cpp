#include <slope/autograd/engine/pass.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/node.h>
#include <slope/autograd/ops.h>

#include <cstring>

namespace slope {

Tensor Saved::input(int i) const { return unpack(SavedValue::Kind::input, i); }
Tensor Saved::output(int i) const { return unpack(SavedValue::Kind::output, i); }
Tensor Saved::extra(int i) const { return unpack(SavedValue::Kind::extra, i); }
bool Saved::needs(int i) const { return pass_->wants(node_.inputs[static_cast<size_t>(i)]); }
int Saved::inputs() const { return static_cast<int>(node_.inputs.size()); }
const Dims& Saved::output_shape(int i) const { return node_.outputs[static_cast<size_t>(i)].shape; }

const Dims& Saved::input_shape(int i) const {
  const Edge& edge = node_.inputs[static_cast<size_t>(i)];
  SLOPE_CHECK_AS(AutogradError, static_cast<bool>(edge),
                 "{}: the derivative asks for the shape of input {}, which needs no gradient",
                 node_.op->name, i);
  return edge.leaf ? edge.leaf->layout.shape : edge.node->outputs[edge.output].shape;
}

Tensor Saved::grad_or_zeros(int i) const {
  if (grads_[i].defined()) return grads_[i];
  const OutputInfo& info = node_.outputs[static_cast<size_t>(i)];
  return zeros(info.shape, info.dtype);
}

Tensor Saved::sum_so_far(int i) const {
  return pass_->sum_so_far(node_.inputs[static_cast<size_t>(i)]);
}

Tensor Saved::grad_to_overwrite() const {
  return pass_->may_overwrite_grad_of(node_) ? grads_[0] : Tensor();
}

bool Saved::is_last_use() const { return pass_->frees_values(); }

const decltype(Attribute::value)& Saved::find(const char* name) const {
  for (const Attribute& attribute : node_.attributes)
    if (std::strcmp(attribute.name, name) == 0) return attribute.value;
  throw AutogradError(fmt::format(
      "{}: the derivative asks for attribute '{}', which was not recorded", node_.op->name, name));
}

Tensor Saved::leaf(int i) const { return Tensor(node_.inputs[static_cast<size_t>(i)].leaf); }

Saved Saved::rooted() const {
  Saved result = *this;
  result.roots_.resize(node_.inputs.size());
  for (const SavedValue& value : node_.saved) {
    if (value.kind != SavedValue::Kind::input) continue;
    Tensor x = input(value.index);
    // Connected, a view of it: two inputs may be the same tensor, or one computed from the other,
    // and each is a root of its own.
    if (needs(value.index)) x = connected_ ? expand(x, x.shape()) : x.detach().set_requires_grad();
    result.roots_[value.index] = x;
  }
  return result;
}

// What the operation made is kept with it from now on, for others that use it too.
Tensor Saved::output_saved_or_recomputed() const {
  for (const SavedValue& value : node_.saved)
    if (value.kind == SavedValue::Kind::output) return output();
  const NoGrad no_grad;
  const Tensor y = node_.op->recompute(*this);
  const OutputInfo& info = node_.outputs[0];
  SLOPE_CHECK_AS(AutogradError, y.shape() == info.shape && y.dtype() == info.dtype,
                 "{}: recomputed, its output is {} {}, not {} {}", node_.op->name, name(y.dtype()),
                 y.shape(), name(info.dtype), info.shape);
  node_.saved.push_back(
      {y.storage(), y.layout(), y.storage()->version(), y.dtype(), SavedValue::Kind::output, 0});
  return y;
}

Tensor Saved::recomputed_by_the_node_before(int i) const {
  return Saved(*node_.inputs[static_cast<size_t>(i)].node, nullptr, false, pass_)
      .output_saved_or_recomputed();
}

Tensor Saved::unpack(SavedValue::Kind kind, int i) const {
  if (kind == SavedValue::Kind::input && !roots_.empty()) return roots_[static_cast<size_t>(i)];
  constexpr const char* kinds[] = {"input", "output", "extra value"};
  const char* what = kinds[static_cast<int>(kind)];
  SLOPE_CHECK_AS(AutogradError, !node_.freed,
                 "{}: what backward needs was freed by an earlier backward through this graph; say "
                 "retain_graph there to run it again",
                 node_.op->name);
  for (const SavedValue& value : node_.saved) {
    if (value.kind != kind || value.index != i) continue;
    SLOPE_CHECK_AS(AutogradError, !value.storage || value.version == value.storage->version(),
                   "{}: {} {} of shape {} was written after the forward used it (version {}, now "
                   "{}); write to a clone() instead",
                   node_.op->name, what, i, value.layout.shape, value.version,
                   value.storage->version());
    const bool is_input = kind == SavedValue::Kind::input;
    if (const Ref<TensorImpl>& leaf = node_.inputs[static_cast<size_t>(i)].leaf;
        connected_ && is_input && leaf) {
      SLOPE_CHECK_AS(AutogradError, leaf->storage == value.storage,
                     "{}: {} {} of shape {} was given other memory after the forward used it",
                     node_.op->name, what, i, value.layout.shape);
      return Tensor(leaf);
    }
    const Tensor x = value.storage ? Tensor(value.storage, value.layout, value.dtype)
                                   : recomputed_by_the_node_before(i);
    if (connected_ && kind != SavedValue::Kind::extra && is_floating(value.dtype)) {
      const Edge edge = is_input ? node_.inputs[static_cast<size_t>(i)]
                                 : Edge{Ref<Node>(&node_), nullptr, static_cast<uint32_t>(i)};
      if (edge) {
        AutogradMeta& meta = ensure_autograd_meta(x);
        meta.node = edge.node;
        meta.output = edge.output;
        meta.requires_grad = true;
      }
    }
    return x;
  }
  throw AutogradError(fmt::format("{}: the derivative asks for {} {}, which was not saved",
                                  node_.op->name, what, i));
}

}  // namespace slope
