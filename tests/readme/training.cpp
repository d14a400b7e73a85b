#include <slope/core/files/safetensors.h>
#include <slope/nn/nn.h>
#include <slope/optim/elementwise/adamw.h>

#include <cstdio>
using namespace slope;

struct Net {
  nn::Linear fc1{1, 32}, fc2{32, 1};
  Tensor forward(const Tensor& x) const { return fc2(tanh(fc1(x))); }  // (N, 1) -> (N, 1)
  SLOPE_MODULE(Net, fc1, fc2)
};

int main() {
  manual_seed(1);
  Net net;
  optim::AdamW adam(nn::named_parameters(net), {.lr = 0.01});
  const Tensor x = linspace(-3, 3, 128).reshape({128, 1}), target = sin(x);
  double loss = 0;
  for (int step = 0; step < 1000; ++step) {
    const Tensor error = mse_loss(net(x), target);
    adam.zero_grad();
    error.backward();
    adam.step();
    loss = error.item();
  }
  // fc1.weight, fc1.bias, …: as PyTorch names them
  save_safetensors("sine.safetensors", nn::state_dict(net).tensors);
  nn::load(net, load_safetensors("sine.safetensors"));
  std::printf("%s\n%s\n", nn::to_string(net).c_str(), loss < 1e-3 ? "learned" : "not learned");
  return loss < 1e-3 ? 0 : 1;
}
