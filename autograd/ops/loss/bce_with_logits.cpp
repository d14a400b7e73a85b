// Binary cross entropy of logits x and targets t, element by element; losses.cpp reduces it.
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/autograd/ops/loss/targets.h>

namespace slope {

namespace {

constexpr Definition bce_with_logits_definition{
    "y = -t log s(x) - (1 - t) log(1 - s(x)) = (1 - t) x + log(1 + e^-x), s = sigmoid",
    "dx = g ((1 - t) - s(-x)) = g (s(x) - t), dt = -g x"};

template <class Row>
Tensor values(const Tensor& x, const Tensor& t) {  // of one shape
  const Tensor y = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), "bce_with_logits", [&]<class T> {
    run_binary<T, T>(x, t, y, kernels<Binary<T>>().rows[binary_index<Row>]);
  });
  return y;
}

Grads bce_with_logits_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input(0), t = s.input(1);
  const auto slope = [&] {
    const Tensor below = sigmoid(x) - t, above = (1 - t) - sigmoid(-x);
    return where(x < 0, below, above);
  };
  return {s.needs(0) ? g * slope() : Tensor(), s.needs(1) ? -(g * x) : Tensor()};
}

Grads bce_with_logits_kernel(const Saved& s, const Tensor& g) {
  const Tensor x = s.input(0), t = s.input(1);
  return {s.needs(0) ? g * values<BceWithLogitsSlope>(x, t) : Tensor(),
          s.needs(1) ? -(g * x) : Tensor()};
}

}  // namespace

namespace ops {
extern const Op bce_with_logits{.name = "bce_with_logits",
                                .signature = "(*), (*) -> (*)",
                                .definition = bce_with_logits_definition,
                                .saves = saves_inputs,
                                .formula = bce_with_logits_formula,
                                .kernel = bce_with_logits_kernel};
}

Tensor bce_of_elements(const Tensor& x, const Tensor& t) {
  return ops::bce_with_logits.record(values<BceWithLogits>(x, t), {x, t});
}

}  // namespace slope
