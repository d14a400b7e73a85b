// backward(), a node at a time.
#include <slope/autograd/engine/pass.h>

namespace slope {

BackwardSteps::BackwardSteps(const Tensors& outputs, const Tensors& gradients,
                             BackwardOptions options)
    : pass_(std::make_unique<Pass>(options)) {
  pass_->begin(outputs, gradients);
}
BackwardSteps::~BackwardSteps() = default;

const Node* BackwardSteps::next() {
  SLOPE_CHECK_AS(AutogradError, !pass_ || pass_->is_innermost(),
                 "BackwardSteps: a pass that began later has not ended");
  std::unique_ptr<Pass> pass = std::move(pass_);  // destroyed here at the end, or if a rule throws
  const Node* node = pass ? pass->next() : nullptr;
  if (node) pass_ = std::move(pass);
  return node;
}

}  // namespace slope
