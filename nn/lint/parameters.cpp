// unused  = listed \ leaves(loss)
// foreign = leaves(loss) \ listed
#include <slope/autograd/graph/walk.h>
#include <slope/nn/lint/lint.h>
#include <slope/nn/module/state.h>
#include <slope/nn/module/unlisted.h>

#include <unordered_set>

namespace slope::nn::lint {

Findings unused_parameters(ModuleRef model, const Tensor& loss) {
  std::unordered_set<const TensorImpl*> used;
  for (const Tensor& leaf : leaves_of({loss})) used.insert(&leaf.impl());
  Findings found;
  for (const auto& [name, p] : named_parameters(model))
    if (p.requires_grad() && !used.contains(&p.impl()))
      found.push_back({"unused-parameter",
                       fmt::format("{} {} is in no operation of the loss: it is never trained",
                                   name, p.shape()),
                       ""});
  return found;
}

Findings foreign_parameters(ModuleRef model, const Tensor& loss) {
  Findings found;
  for (const std::string& p : unlisted_parameters(model, loss))
    found.push_back({"foreign-parameter",
                     p + ": no SLOPE_MODULE line of the model lists it, so it is neither "
                         "trained nor saved",
                     ""});
  return found;
}

}  // namespace slope::nn::lint
