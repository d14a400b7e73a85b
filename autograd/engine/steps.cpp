// backward(), a node at a time.
#include <slope/autograd/engine/pass.h>

namespace slope {

BackwardSteps::BackwardSteps(const Tensors& outputs, const Tensors& gradients,
                             BackwardOptions options)
    : pass_(std::make_unique<Pass>(options)) {
  pass_->collect(outputs, gradients);
  pass_->start();
}
BackwardSteps::~BackwardSteps() = default;

const Node* BackwardSteps::next() {
  SLOPE_CHECK_AS(AutogradError, !pass_ || pass_->is_innermost(),
                 "BackwardSteps: a pass that began later has not ended");
  std::unique_ptr<Pass> pass = std::move(pass_);  // destroyed here if a rule throws
  if (!pass) return nullptr;
  if (const Node* node = pass->step()) {
    pass_ = std::move(pass);
    return node;
  }
  pass->finish();
  pass->commit();
  return nullptr;
}

}  // namespace slope
