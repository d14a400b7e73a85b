#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>

#include <cmath>
#include <cstdio>
using namespace slope;

// y = x / (1 + |x|)        dx = g / (1 + |x|)^2
static const Op softsign_op{.name = "softsign",
                            .signature = "(*) -> (*)",
                            .saves = saves_input(),
                            .formula = [](const Saved& s, const Tensor& g) {
                              return Grads{g / pow(1 + abs(s.input()), 2)};
                            }};

Tensor softsign(const Tensor& x) {
  const Tensor in = contiguous_copy(x), y = empty_like(in);
  visit_floating(x.dtype(), "softsign", [&]<class T> {
    T* out = y.write<T>();
    for (int64_t i = 0; i < in.numel(); ++i)
      out[i] = in.data<T>()[i] / (1 + std::abs(in.data<T>()[i]));
  });
  return softsign_op.record(y, {x});
}

int main() {
  const auto f = [](const Tensors& in) { return Tensors{softsign(in[0])}; };
  const Tensor x = randn({3, 4}, f64).set_requires_grad();
  std::puts(gradcheck(f, {x}).text().c_str());
  std::puts(gradgradcheck(f, {x}).text().c_str());
}
