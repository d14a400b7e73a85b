// Modules without parameters. Identity returns its first argument and ignores the others; Flatten
// merges the dims start_dim, …, end_dim; Unflatten splits one dim into several.
#pragma once

#include <slope/autograd/ops.h>
#include <slope/nn/module/module.h>
#include <slope/nn/module/print.h>

namespace slope::nn {

struct Identity {
  template <class... Args>
  Tensor forward(const Tensor& x, const Args&...) const {
    return x;
  }
  Identity blank() const { return {}; }
  SLOPE_MODULE(Identity)
};

struct Flatten {
  int64_t start_dim, end_dim;
  explicit Flatten(int64_t start_dim = 1, int64_t end_dim = -1)
      : start_dim(start_dim), end_dim(end_dim) {}
  Tensor forward(const Tensor& x) const { return x.flatten(start_dim, end_dim); }
  std::string extra_repr() const {
    return fmt::format("start_dim={}, end_dim={}", start_dim, end_dim);
  }
  Flatten blank() const { return Flatten(start_dim, end_dim); }
  SLOPE_MODULE(Flatten)
};

struct Unflatten {
  int64_t dim;
  Dims sizes;  // one may be -1: the size that is left
  Unflatten(int64_t dim, const Dims& sizes) : dim(dim), sizes(sizes) {}
  Tensor forward(const Tensor& x) const {
    const int64_t at = wrap_dim(dim, x.rank(), "Unflatten");
    Dims shape;
    for (int64_t d = 0; d < x.rank(); ++d) {
      if (d != at) shape.push_back(x.size(d));
      if (d == at)
        for (const int64_t size : infer_shape(sizes, x.size(d))) shape.push_back(size);
    }
    return x.reshape(shape);
  }
  std::string extra_repr() const {
    return fmt::format("dim={}, unflattened_size={}", dim, python(sizes));
  }
  Unflatten blank() const { return Unflatten(dim, sizes); }
  SLOPE_MODULE(Unflatten)
};

}  // namespace slope::nn
