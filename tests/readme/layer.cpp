// A layer, as CONTRIBUTING.md shows it, and its checks.
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/nn/nn.h>

#include <cstdio>

namespace slope::nn {

// y = x * gamma, one factor for each channel (Touvron et al., 2021).
struct LayerScale {
  Parameter gamma;  // (C)

  explicit LayerScale(int64_t channels, double start = 1e-5) : gamma(full({channels}, start)) {}
  Tensor forward(const Tensor& x) const { return x * gamma; }  // (*, C) -> (*, C)

  std::string extra_repr() const { return fmt::format("{}", gamma.size(0)); }
  LayerScale blank() const { return LayerScale(gamma.size(0)); }
  SLOPE_MODULE(LayerScale, gamma)
};

}  // namespace slope::nn

int main() {
  using namespace slope;
  nn::LayerScale layer(4);
  nn::to(layer, f64);
  const Tensor x = randn({3, 4}, f64);
  const auto named = nn::named_parameters(layer);
  const std::function<Tensors()> y = [&] { return Tensors{layer(x)}; };
  gradcheck(y, named);  // throws, naming the parameter, where a derivative is wrong
  const bool same = equal(nn::clone(layer)(x), layer(x));
  std::printf("%s %s\n", nn::to_string(layer).c_str(), named[0].name.c_str());
  return same && nn::to_string(layer) == "LayerScale(4)" ? 0 : 1;
}
