#include <slope/autograd/ops.h>

#include <cmath>
#include <cstdio>
using namespace slope;

int main() {
  const Tensor a = tensor(-4.0, f64).set_requires_grad(), b = tensor(2.0, f64).set_requires_grad();
  Tensor c = a + b;
  Tensor d = a * b + pow(b, 3);
  c = c + c + 1;
  c = c + 1 + c + (-a);
  d = d + d * 2 + relu(b + a);
  d = d + 3 * d + relu(b - a);
  const Tensor e = c - d;
  const Tensor f = pow(e, 2);
  Tensor g = f / 2;
  g = g + 10 / f;
  std::printf("g      %.4f\n", g.item());  // the outcome of the forward pass
  g.backward();
  std::printf("a.grad %.4f\n", a.grad().item());  // dg/da
  std::printf("b.grad %.4f\n", b.grad().item());  // dg/db
  return std::abs(b.grad().item() - 645.5773) < 1e-4 ? 0 : 1;
}
