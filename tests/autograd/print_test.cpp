// What the tape adds to a tensor's text.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/print.h>

#include <doctest/doctest.h>

using namespace slope;

TEST_CASE("print: leaves say that they need a gradient, results who made them") {
  const Tensor x = full({2}, 1.5);
  CHECK(to_string(x) == "tensor([1.5000, 1.5000])");
  x.set_requires_grad();
  CHECK(to_string(x) == "tensor([1.5000, 1.5000], requires_grad=True)");
  CHECK(to_string(x * x) == "tensor([2.2500, 2.2500], grad_fn=<MulBackward0>)");
  CHECK(to_string(log_softmax(x, -1)) ==
        "tensor([-0.6931, -0.6931], grad_fn=<LogSoftmaxBackward0>)");
  CHECK(to_string(x.detach()) == "tensor([1.5000, 1.5000])");
  const NoGrad no_grad;
  CHECK(to_string(x * x) == "tensor([2.2500, 2.2500])");
}
