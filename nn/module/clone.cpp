#include <slope/core/loops/copy.h>
#include <slope/nn/module/clone.h>
#include <slope/nn/module/state.h>

#include <unordered_map>
#include <unordered_set>

namespace slope::nn {

namespace {

// Without elements: replace_data gives it shape and dtype.
Parameter new_parameter() { return Parameter(Dims{0}); }

struct Copies {
  std::unordered_map<const TensorImpl*, Parameter*> of;  // a parameter of `from`: its copy
  std::unordered_set<const TensorImpl*> filled;          // parameters of `to` already written
};

// Throws unless `to` has the same fields as `from`, with the same shapes.
void check_fields(const std::string& path, ModuleRef from, ModuleRef to) {
  const Fields a = from.fields(), b = to.fields();
  const auto same = [&] {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i].name != b[i].name || !a[i].parameter != !b[i].parameter ||
          !a[i].buffer != !b[i].buffer)
        return false;
    return true;
  };
  SLOPE_CHECK_AS(UsageError, same(), "copy_state: the two models have different fields at '{}'",
                 path);
  for (size_t i = 0; i < a.size(); ++i) {
    const std::string name = path.empty() ? a[i].name : path + "." + a[i].name;
    if (a[i].module) {
      check_fields(name, *a[i].module, *b[i].module);
      continue;
    }
    const auto tensor = [](const Field& field) -> const Tensor& {
      if (field.buffer) return *field.buffer;
      return *field.parameter;
    };
    const Tensor &x = tensor(a[i]), &y = tensor(b[i]);
    SLOPE_CHECK_AS(UsageError, x.shape() == y.shape(),
                   "copy_state: {} has shape {} in one model and {} in the other", name, x.shape(),
                   y.shape());
  }
}

void copy_fields(ModuleRef from, ModuleRef to, Copies& copies) {
  const Fields a = from.fields(), b = to.fields();
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].module) {
      copy_fields(*a[i].module, *b[i].module, copies);
    } else if (a[i].buffer) {
      replace_data(*b[i].buffer, contiguous_copy(*a[i].buffer));
    } else if (const auto [first, is_new] =
                   copies.of.try_emplace(&a[i].parameter->impl(), b[i].parameter);
               is_new) {
      if (!copies.filled.insert(&b[i].parameter->impl()).second)  // tied in `to`, not in `from`
        *b[i].parameter = new_parameter();
      const Parameter& p = *b[i].parameter;
      const bool trains = a[i].parameter->requires_grad();
      // bf16 cannot be trained: frozen before it is bf16, trained after it was
      if (!trains && p.requires_grad()) p.set_requires_grad(false);
      replace_data(p, contiguous_copy(*a[i].parameter));
      if (trains && !p.requires_grad()) p.set_requires_grad(true);
    } else if (!first->second->is_same(*b[i].parameter)) {
      *b[i].parameter = new_parameter();  // a tensor tied to it only in `to` stays as it is
      replace_data(*b[i].parameter, *first->second);  // tie requires equal dtypes
      tie(*first->second, *b[i].parameter);
    }
  }
  if (from.state() && to.state()) to.state()->training = from.state()->training;
}

}  // namespace

void copy_state(ModuleRef from, ModuleRef to) {
  check_fields("", from, to);
  Copies copies;
  copy_fields(from, to, copies);
}

}  // namespace slope::nn
