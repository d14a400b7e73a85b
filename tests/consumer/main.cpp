// Defines its own operation, trains a line, checks a gradient: with only the installed
// headers.
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/autograd/ops.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/adam.h>

#include <cstdio>

using namespace slope;

//   y = x^3        dx = 3 x^2 g
static const Op cube_op{.name = "cube",
                        .signature = "(*) -> (*)",
                        .saves = saves_input(),
                        .formula = [](const Saved& s, const Tensor& g) {
                          Tensor x = s.input();
                          return Grads{3 * x * x * g};
                        }};
static Tensor cube(const Tensor& x) { return cube_op.record((x * x * x).detach(), {x}); }

int main() {
  manual_seed(1);
  const Tensor x = rand({5}, f64).set_requires_grad();
  const auto f = [](const Tensors& in) { return Tensors{cube(in[0])}; };
  if (!gradcheck(f, {x}).ok || !gradgradcheck(f, {x}).ok) return 1;

  nn::Linear line(1, 1);
  optim::Adam adam(nn::named_parameters(line), {.lr = 0.1});
  const Tensor t = linspace(-1, 1, 16).reshape({16, 1});
  double loss = 1;
  for (int step = 0; step < 300; ++step) {
    const Tensor error = mse_loss(line(t), t * 3 + 1);
    nn::zero_grad(line);
    error.backward();
    adam.step();
    loss = error.item();
  }
  std::printf("loss %g, weight %g, registered operations %zu\n", loss, line.weight.item(),
              registry().size());
  return loss < 1e-4 && registry().size() > 50 ? 0 : 1;
}
