// Elementwise functions as modules, for Sequential and for printed models.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

struct ReLU {
  Tensor forward(const Tensor& x) const { return relu(x); }
  ReLU blank() const { return {}; }
  SLOPE_MODULE(ReLU)
};

struct GELU {
  Gelu form = Gelu::erf;
  GELU() = default;
  explicit GELU(Gelu form) : form(form) {}
  Tensor forward(const Tensor& x) const { return gelu(x, form); }
  std::string extra_repr() const {
    return form == Gelu::erf ? "approximate='none'" : "approximate='tanh'";
  }
  GELU blank() const { return GELU(form); }
  SLOPE_MODULE(GELU)
};

struct SiLU {
  Tensor forward(const Tensor& x) const { return silu(x); }
  SiLU blank() const { return {}; }
  SLOPE_MODULE(SiLU)
};

struct Tanh {
  Tensor forward(const Tensor& x) const { return tanh(x); }
  Tanh blank() const { return {}; }
  SLOPE_MODULE(Tanh)
};

struct Sigmoid {
  Tensor forward(const Tensor& x) const { return sigmoid(x); }
  Sigmoid blank() const { return {}; }
  SLOPE_MODULE(Sigmoid)
};

// The activation of a feed-forward layer, for models where it is a setting.
enum class Activation { relu, gelu, gelu_tanh, silu };
inline Tensor activate(const Tensor& x, Activation f) {
  switch (f) {
    case Activation::relu: return relu(x);
    case Activation::gelu: return gelu(x);
    case Activation::gelu_tanh: return gelu(x, Gelu::tanh);
    default: return silu(x);
  }
}

}  // namespace slope::nn
