#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/print.h>

#include <iostream>
using namespace slope;

int main() {
  Tensor x = tensor({1.0, 2.0, 3.0}).set_requires_grad();
  Tensor y = sum(x * x * x);
  std::cout << y << "\n";
  Tensor dx = grad({y}, {x}, {.create_graph = true})[0];  // 3 x^2, itself on the tape
  std::cout << dx << "\n";
  sum(dx).backward();  // 6 x
  std::cout << x.grad() << "\n";
}
