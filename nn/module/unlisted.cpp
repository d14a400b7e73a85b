#include <slope/autograd/graph/walk.h>
#include <slope/nn/module/state.h>
#include <slope/nn/module/unlisted.h>

#include <unordered_set>

namespace slope::nn {

std::vector<std::string> unlisted_parameters(const NamedTensors& listed, const Tensor& loss) {
  std::unordered_set<const TensorImpl*> known;
  for (const NamedTensor& p : listed) known.insert(&p.tensor.impl());
  std::vector<std::string> found;
  for (const Node* node : nodes_of({loss}))
    for (const Edge& edge : node->inputs)
      if (edge.leaf && known.insert(edge.leaf.get()).second)
        found.push_back(fmt::format("{}, first used by {}{}{}", edge.shape(), node->op->name,
                                    node->module ? " in module " : "",
                                    node->module ? node->module : ""));
  return found;
}

std::vector<std::string> unlisted_parameters(ModuleRef model, const Tensor& loss) {
  return unlisted_parameters(named_parameters(model), loss);
}

}  // namespace slope::nn
