// An observer of a pass: the gradients that reach each operation's inputs.
#include <slope/autograd/backward.h>
#include <slope/autograd/observer.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/factories.h>

#include <fmt/core.h>

using namespace slope;

// The norm of each gradient that an operation gives to one of its inputs.
struct Norms : Observer {
  void contributed(const Node& node, size_t input, const Tensor& g) override {
    fmt::print("{}, input {}: {:.3f}\n", node.op->name, input, norm(g.detach()).item());
  }
};

int main() {
  const Tensor w = tensor({3., 4.}).set_requires_grad();
  const Tensor loss = sum(w * exp(-w));
  Norms norms;
  const Observe observe(norms);  // on this thread, until the end of the scope
  loss.backward();
}
