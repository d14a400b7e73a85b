// Modules of smooth elementwise functions, ReLU and GLU, for Sequential and for printed models.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

#include <functional>

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

struct LogSigmoid {
  Tensor forward(const Tensor& x) const { return logsigmoid(x); }
  LogSigmoid blank() const { return {}; }
  SLOPE_MODULE(LogSigmoid)
};

struct Softsign {
  Tensor forward(const Tensor& x) const { return softsign(x); }
  Softsign blank() const { return {}; }
  SLOPE_MODULE(Softsign)
};

struct Tanhshrink {
  Tensor forward(const Tensor& x) const { return tanhshrink(x); }
  Tanhshrink blank() const { return {}; }
  SLOPE_MODULE(Tanhshrink)
};

struct Mish {
  Tensor forward(const Tensor& x) const { return mish(x); }
  Mish blank() const { return {}; }
  SLOPE_MODULE(Mish)
};

struct Softplus {
  double beta, threshold;
  explicit Softplus(double beta = 1, double threshold = 20) : beta(beta), threshold(threshold) {}
  Tensor forward(const Tensor& x) const { return nn::softplus(x, beta, threshold); }
  std::string extra_repr() const {
    return "beta=" + python(beta) + ", threshold=" + python(threshold);
  }
  Softplus blank() const { return Softplus(beta, threshold); }
  SLOPE_MODULE(Softplus)
};

struct GLU {
  int64_t dim;
  explicit GLU(int64_t dim = -1) : dim(dim) {}
  Tensor forward(const Tensor& x) const { return nn::glu(x, dim); }
  std::string extra_repr() const { return fmt::format("dim={}", dim); }
  GLU blank() const { return GLU(dim); }
  SLOPE_MODULE(GLU)
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

// An Activation, or any function of a tensor, like torch's `activation` argument.
class ActivationFunction {
 public:
  ActivationFunction(Activation named) : named_(named) {}
  template <class F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> ActivationFunction(F f)
      : f_(std::move(f)) {}
  Tensor operator()(const Tensor& x) const { return f_ ? f_(x) : activate(x, named_); }

 private:
  Activation named_ = Activation::relu;
  std::function<Tensor(const Tensor&)> f_;  // empty: named_
};

}  // namespace slope::nn
