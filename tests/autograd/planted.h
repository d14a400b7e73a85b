// Operations with a planted mistake: the forward of an existing one with a rule of the test's.
#pragma once

#include <slope/autograd/grad_mode.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/random.h>

#include "gradcheck.h"

namespace slope::test {

template <class F>
Tensor with_rule(const Op& op, F&& forward, const Tensors& inputs, Attributes attributes = {}) {
  Tensor y;
  {
    const NoGrad no_grad;
    y = contiguous_copy(forward());
  }
  return op.record(Tensors{y}, inputs, std::move(attributes))[0];
}

// Of y = x^2: the formula gives 3 g x, the kernel the right 2 g x.
inline const Op wrong_formula{
    .name = "wrong_formula",
    .saves = saves_input(),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{3 * g * s.input()}; },
    .kernel = [](const Saved& s, const Tensor& g) { return Grads{2 * g * s.input()}; }};

inline Tensor values(const Dims& shape, uint64_t seed = 1) {
  manual_seed(seed);
  return leaf(randn(shape, f64));
}

}  // namespace slope::test
