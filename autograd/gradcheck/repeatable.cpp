#include <slope/autograd/gradcheck/numeric/values.h>
#include <slope/autograd/gradcheck/repeatable.h>

namespace slope {

std::string not_repeatable(const Tensors& once, const Tensors& again, const NamedTensors& leaves,
                           const std::string& op) {
  for (size_t i = 0; i < leaves.size(); ++i)
    if (const auto at = first_difference(once[i], again[i]))
      return fmt::format(
          "backward is not repeatable: {}, element {} was {} in one pass and {} in another "
          "over the same graph{}; a rule must keep no state between calls",
          leaves[i].name, at->element, at->a_text(), at->b_text(),
          op.empty() ? "" : ", first in " + op);
  return "";
}

}  // namespace slope
