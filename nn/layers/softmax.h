// softmax, its logarithm and softmin over one dim, as modules.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/module/module.h>

namespace slope::nn {

struct Softmax {
  int64_t dim;
  explicit Softmax(int64_t dim = -1) : dim(dim) {}
  Tensor forward(const Tensor& x) const { return softmax(x, dim); }
  std::string extra_repr() const { return fmt::format("dim={}", dim); }
  Softmax blank() const { return Softmax(dim); }
  SLOPE_MODULE(Softmax)
};

struct LogSoftmax {
  int64_t dim;
  explicit LogSoftmax(int64_t dim = -1) : dim(dim) {}
  Tensor forward(const Tensor& x) const { return log_softmax(x, dim); }
  std::string extra_repr() const { return fmt::format("dim={}", dim); }
  LogSoftmax blank() const { return LogSoftmax(dim); }
  SLOPE_MODULE(LogSoftmax)
};

struct Softmin {
  int64_t dim;
  explicit Softmin(int64_t dim = -1) : dim(dim) {}
  Tensor forward(const Tensor& x) const { return softmin(x, dim); }
  std::string extra_repr() const { return fmt::format("dim={}", dim); }
  Softmin blank() const { return Softmin(dim); }
  SLOPE_MODULE(Softmin)
};

}  // namespace slope::nn
