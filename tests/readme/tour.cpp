#include <slope/autograd/backward.h>
#include <slope/autograd/graph/trace.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/print.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/sgd.h>

#include <cmath>
#include <cstdio>
#include <iostream>
using namespace slope;

static void show(const char* title, const Trace& trace) {
  std::printf("%s\n%s\n", title, trace_text(trace).c_str());
}

static void square() {
  const Tensor x = tensor(3.0, f64).set_requires_grad();
  const Tensor y = x * x;
  show("y = x * x", trace_backward({y}, {.names = {{"x", x}, {"y", y}}}));
}

static void softmax_of_three() {
  const Tensor x = tensor({1.0, 2.0, 3.0}, f64).set_requires_grad();
  const Tensor y = softmax(x, 0), L = sum(y * tensor({1.0, 0.0, 0.0}, f64));
  show("softmax", trace_backward({L}, {.names = {{"x", x}, {"y", y}, {"L", L}}}));
}

static void linear_layer() {
  const Tensor x = tensor({{1.0, 2.0}}, f64).set_requires_grad();
  const Tensor W = tensor({{1.0, -1.0}, {0.5, 0.0}}, f64).set_requires_grad();
  const Tensor b = tensor({0.0, 1.0}, f64).set_requires_grad();
  const Tensor L = sum(linear(x, W, b));
  show("linear", trace_backward({L}, {.names = {{"x", x}, {"W", W}, {"b", b}, {"L", L}}}));
}

static void attention() {
  manual_seed(1);
  const Tensor q = randn({1, 1, 3, 2}, f64).set_requires_grad();
  const Tensor k = randn({1, 1, 3, 2}, f64), v = randn({1, 1, 3, 2}, f64);
  const nn::Mask mask = nn::Mask::causal(3);
  const Tensor fused = nn::attend(q, k, v, mask);
  const Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(2.0);
  const Tensor by_hand = matmul(softmax(masked_fill(scores, !mask.tensor(3, 3), -1e30), -1), v);
  const Tensor a = grad({sum(fused * fused)}, {q})[0];
  const Tensor b = grad({sum(by_hand * by_hand)}, {q})[0];
  const bool agree = max(abs(a - b)).item() < 1e-12;
  std::printf("attention\nthe gradients of both agree to 1e-12: %s\n\n", agree ? "yes" : "no");
}

static void training_step() {
  nn::Linear line(1, 1);
  nn::init::zeros(line.weight);
  nn::init::zeros(*line.bias);
  optim::SGD sgd(nn::named_parameters(line), {.lr = 0.1});
  const Tensor x = tensor({{1.0}, {2.0}}), target = tensor({{3.0}, {5.0}});  // y = 2 x + 1
  std::printf("training\n");
  for (int step = 0; step < 3; ++step) {
    const Tensor loss = mse_loss(line(x), target);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    std::printf("loss %.4f, weight %.4f, bias %.4f\n", loss.item(), line.weight.item(),
                line.bias->item());
  }
}

int main() {
  square();
  softmax_of_three();
  linear_layer();
  attention();
  training_step();
}
