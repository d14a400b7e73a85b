#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/models/train/report/layer_norms.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace slope::train {

std::string layer_of(const std::string& parameter) {
  std::istringstream parts(parameter);
  std::string layer;
  for (std::string part; std::getline(parts, part, '.');) {
    layer += (layer.empty() ? "" : ".") + part;
    if (part.find_first_not_of("0123456789") == part.npos) return layer;
  }
  const size_t dot = parameter.rfind('.');
  return dot == parameter.npos ? parameter : parameter.substr(0, dot);
}

static double squares(const Tensor& x) {
  if (!x.defined()) return 0;
  const Tensor y = x.to(f64);  // in f32 the squares of 1e20 and 1e-24 are infinite and 0
  return sum(y * y).item();
}

std::vector<NormsOf> layer_norms(const NamedTensors& parameters) {
  const NoGrad no_grad;
  std::vector<NormsOf> layers;
  for (const auto& [name, tensor] : parameters) {
    const std::string layer = layer_of(name);
    auto at = std::find_if(layers.begin(), layers.end(),
                           [&](const NormsOf& l) { return l.layer == layer; });
    if (at == layers.end()) at = layers.insert(at, {layer});
    at->gradient += squares(tensor.grad());
    at->weights += squares(tensor.detach());
  }
  for (NormsOf& l : layers) l.gradient = std::sqrt(l.gradient), l.weights = std::sqrt(l.weights);
  return layers;
}

}  // namespace slope::train
