// Golden cases whose numbers come from one pool (tests/golden/attention.py says how), and the
// comparison of all their results with PyTorch's.
#pragma once

#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/nn/nn.h>
#include <slope/tests/golden_cases.h>
#include <slope/tests/parity.h>

namespace slope::test {

// Takes consecutive numbers of the pool.
class Numbers {
 public:
  Numbers(const Tensor& pool, int64_t start, DType dtype)
      : values_(pool.to_vector()), at_(static_cast<size_t>(start)), dtype_(dtype) {}

  Tensor operator()(const Dims& shape) {
    const Tensor x = Tensor::empty(shape, f64);
    const auto out = x.write<double>();
    for (int64_t i = 0; i < x.numel(); ++i) out[i] = values_[at_++ % values_.size()];
    return x.to(dtype_);
  }
  Tensor input(const Dims& shape) { return (*this)(shape).set_requires_grad(); }
  void fill(nn::ModuleRef module) {
    nn::to(module, dtype_);
    for (const auto& [name, p] : nn::state_entries(module))
      nn::replace_data(p, (*this)(p.shape()) / 2);
  }
  struct MaskAndTensor {
    nn::Mask mask;
    Tensor tensor;  // of a float mask that takes a gradient
  };
  MaskAndTensor mask(const std::string& kind, const Dims& shape) {
    if (kind == "none") return {};
    if (kind.starts_with("causal")) {
      const Tensor future = triu(ones(shape, boolean), 1);
      return {kind == "causal"
                  ? nn::Mask::block(future)
                  : nn::Mask::add(masked_fill(zeros(shape, dtype_), future, -INFINITY)),
              {}};
    }
    const bool is_bool = kind.starts_with("bool");
    const Tensor x = (*this)(shape);
    const Tensor hidden = logical_and(x > (is_bool ? 0.5 : 1), arange(shape.back()) > 0);
    if (is_bool) return {nn::Mask::block(hidden), {}};
    const Tensor numbers = masked_fill(x, hidden, -INFINITY).set_requires_grad();
    return {nn::Mask::add(numbers), numbers};
  }

 private:
  std::vector<double> values_;
  size_t at_;
  DType dtype_;
};

// Checks outputs, then the gradients of leaves, against a case's results; gives the largest error.
inline double check_results(const std::string& what, const Tensors& outputs, const Tensors& leaves,
                            Numbers& numbers, const Tensor& results, double tolerance) {
  Tensors cotangents;
  for (const Tensor& y : outputs) cotangents.push_back(numbers(y.shape()));
  const Tensors grads = grad(outputs, leaves, {.grad_outputs = cotangents, .allow_unused = true});
  const std::vector<double> theirs = results.to_vector();
  size_t at = 0;
  double most = 0;
  const auto check = [&](const std::string& part, const Tensor& ours) {
    const std::vector<double> values = ours.to_vector();
    const bool fits = at + values.size() <= theirs.size();
    const double error =
        fits ? relative_error(values, std::span(theirs).subspan(at, values.size())) : INFINITY;
    at += values.size();
    CHECK_MESSAGE(error <= tolerance, fmt::format("{}, {}: relative error {}", what, part, error));
    most = std::max(most, error);
  };
  for (size_t i = 0; i < outputs.size(); ++i) check(fmt::format("output {}", i), outputs[i]);
  for (size_t i = 0; i < leaves.size(); ++i)
    check(fmt::format("gradient {}", i), grads[i].defined() ? grads[i] : zeros_like(leaves[i]));
  CHECK_MESSAGE(at == theirs.size(), what << ": PyTorch has other numbers of results");
  return most;
}

}  // namespace slope::test
