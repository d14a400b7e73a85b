// Cross entropy of logits, log-softmax included: p = softmax(x), t the target, e the label
// smoothing (Szegedy et al., 2016), C classes. Rows whose target is ignore_index give 0 and get no
// gradient; the mean is over the other rows (nan if there are none).
#include <slope/autograd/ops/loss/targets.h>
#include <slope/core/kernels/loss/cross_entropy.h>

namespace slope {

namespace {

constexpr Definition cross_entropy_definition{
    "y = -(1 - e) log p_t - e / C sum_i log p_i, p = softmax(x)",
    "dx_i = g (p_i - (1 - e) [i = t] - e / C)"};

Tensors cross_entropy_reference(const Saved& s) {
  const CrossEntropyOptions options = options_of(s);
  const Tensor target = s.input(1), x = without_ignored(s.input(0), target, options);
  return {loss_of_log_probabilities(log_softmax(x, -1), target, s.integer("count"), options)};
}

Grads cross_entropy_kernel(const Saved& s, const Tensor& g) {
  const CrossEntropyOptions options = options_of(s);
  const Tensor x = contiguous_values(s.input(0)), target = contiguous_values(s.input(1)),
               max = s.extra(0), log_sum = s.extra(1), gs = contiguous_values(g),
               dx = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), "cross_entropy", [&]<class T> {
    const T *px = x.data<T>(), *pm = max.data<T>(), *ps = log_sum.data<T>(), *pg = gs.data<T>();
    const int64_t* pt = target.data<int64_t>();
    const auto out = dx.write<T>();
    const bool by_row = options.reduction == Reduction::none;
    const T shared = by_row ? T(0)
                     : options.reduction == Reduction::mean
                         ? *pg / static_cast<T>(s.integer("count"))
                         : *pg;
    for_rows(x, [&](int64_t rows, int64_t n, int64_t at) {
      const int64_t r = at / n;
      kernels<CrossEntropyKernels<T>>().backward(
          rows, n, px + at, {pt + r, options.ignore_index, options.label_smoothing}, pm + r, ps + r,
          by_row ? pg + r : &shared, by_row, out + at);
    });
  });
  return {dx, Tensor()};
}

}  // namespace

namespace ops {
extern const Op cross_entropy{.name = "cross_entropy",
                              .signature = "(*, C), (*) -> (*)",
                              .definition = cross_entropy_definition,
                              .saves = saves_inputs,
                              .kernel = cross_entropy_kernel,
                              .reference = cross_entropy_reference};
}

namespace {

LossAndCount forward(const char* name, const Tensor& x, const Tensor& target,
                     const CrossEntropyOptions& options) {
  check_smoothing(name, options.label_smoothing);
  const auto checked = check_targets(name, x.shape(), target, options.ignore_index);
  const Tensor& t = checked.first;
  const int64_t count = checked.second;
  const Tensor xs = contiguous_values(x), losses = Tensor::empty(t.shape(), x.dtype()),
               max = Tensor::empty(t.shape(), x.dtype()),
               log_sum = Tensor::empty(t.shape(), x.dtype());
  Tensor y;
  visit_floating(x.dtype(), name, [&]<class T> {
    const T* px = xs.data<T>();
    const int64_t* pt = t.data<int64_t>();
    const auto out = losses.write<T>(), pm = max.write<T>(), ps = log_sum.write<T>();
    // no classes: every target is ignored
    if (xs.numel() == 0) std::fill_n(out.get(), losses.numel(), T(0));
    for_rows(xs, [&](int64_t rows, int64_t n, int64_t at) {
      const int64_t r = at / n;
      kernels<CrossEntropyKernels<T>>().forward(
          rows, n, px + at, {pt + r, options.ignore_index, options.label_smoothing}, out + r,
          pm + r, ps + r);
    });
    y = reduce_losses<T>(losses, options.reduction, count);
  });
  return {ops::cross_entropy.record(y, {x, t}, to_attributes(options, count), {max, log_sum}),
          count};
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& target, CrossEntropyOptions options) {
  return forward("cross_entropy", logits, target, options).sum;
}

LossAndCount cross_entropy_sum(const Tensor& logits, const Tensor& target,
                               CrossEntropyOptions options) {
  options.reduction = Reduction::sum;
  return forward("cross_entropy", logits, target, options);
}

}  // namespace slope
