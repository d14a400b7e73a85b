// Variance and standard deviation, in two passes: the mean, then the squared differences from it.
// Over the last dims a kernel makes both passes row by row.
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops/reduce/reduction.h>
#include <slope/autograd/ops/reduce/rows.h>
#include <slope/core/kernels/reduce/variance.h>
#include <tuple>

namespace slope {

namespace {

// n - correction, not below 0
double divisor(const Dims& shape, const Dims& dims, double correction) {
  return std::max(0.0, static_cast<double>(count_of(shape, dims)) - correction);
}

constexpr Definition var_definition{"y = sum (x - mean x)^2 / (n - correction), over dims",
                                    "dx = g 2 (x - mean x) / (n - correction)"};

// An empty tensor has no mean.
Tensor deviations(const Tensor& x, const Dims& dims) {
  return x.numel() == 0 ? x : centred(x, dims);
}

Grads var_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  const double n = divisor(x.shape(), s.dims("dims"), s.number("correction"));
  return {with_dims(s, g, x.shape()) * (deviations(x, s.dims("dims")) * (2 / n))};
}

constexpr Definition std_definition{"y = sqrt(sum (x - mean x)^2 / (n - correction)), over dims",
                                    "dx = g (x - mean x) / (y (n - correction)), 0 where y = 0"};

// (x - mean x) / y is at most sqrt(n), however small or large x is.
Grads std_formula(const Saved& s, const Tensor& g) {
  const Dims& dims = s.dims("dims");
  Tensor d = deviations(s.input(), dims), y = with_dims(s, s.output(), d.shape());
  const double correction = s.number("correction"), n = divisor(d.shape(), dims, correction);
  std::tie(d, y) = in_moderate_units(
      d, y, dims, [&](const Tensor& u) { return slope::std(u, dims, correction, keepdim); });
  const Tensor none = y == 0, h = masked_fill(with_dims(s, g, d.shape()), none, 0);
  return {h * ((d / masked_fill(y, none, 1)) / n)};
}

// The length of a row, whose elements become one number; 0 where `dims` are not the last dims, or
// where a row is so long that it should be summed in parts.
int64_t row_length(const Tensor& x, const Dims& dims) {
  for (size_t k = 0; k < dims.size(); ++k)
    if (dims[k] != x.rank() - static_cast<int64_t>(dims.size() - k)) return 0;
  const int64_t n = count_of(x.shape(), dims);
  return n <= 1 << 14 ? n : 0;
}

template <bool root>
Grads kernel(const Saved& s, const Tensor& g) {
  const int64_t n = row_length(s.input(), s.dims("dims"));
  if (n == 0) return root ? std_formula(s, g) : var_formula(s, g);
  const Tensor x = contiguous_values(s.input()), gs = contiguous_values(g),
               y = root ? s.output() : gs;
  const double d = divisor(x.shape(), s.dims("dims"), s.number("correction"));
  const GradTarget dx = s.target(0, x.shape(), x.dtype());
  visit_floating(x.dtype(), "var", [&]<class T> {
    const T *px = x.data<T>(), *py = y.data<T>(), *pg = gs.data<T>();
    const auto out = dx.tensor.write<T>();
    const auto& rows = kernels<VarianceKernels<T>>();
    parallel_for(g.numel(), rows_per_chunk(n), [&](int64_t begin, int64_t end) {
      (root ? rows.std_backward : rows.var_backward)(end - begin, n, d, px + begin * n, py + begin,
                                                     pg + begin, out + begin * n, dx.adds);
    });
  });
  return {dx.result()};
}

// For long rows, and for dims that are not the last.
template <bool root>
Tensor composite(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const NoGrad no_grad;
  const auto variance = [&](const Tensor& d) {
    return sum(d * d, dims, keep) / divisor(d.shape(), dims, correction);
  };
  const Tensor d = deviations(x, dims);
  if (!root) return variance(d);
  return homogeneous(d, 2, dims, keep, [&](const Tensor& d) { return sqrt(variance(d)); });
}

template <bool root>
Tensor values(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const int64_t n = row_length(x, dims);
  if (n == 0) return composite<root>(x, dims, correction, keep);
  const Tensor xs = contiguous_values(x),
               y = Tensor::empty(reduced_shape(x.shape(), dims, keep), x.dtype());
  visit_floating(x.dtype(), "var", [&]<class T> {
    const T* px = xs.data<T>();
    const auto out = y.write<T>();
    const auto& rows = kernels<VarianceKernels<T>>();
    parallel_for(y.numel(), rows_per_chunk(n), [&](int64_t begin, int64_t end) {
      (root ? rows.std : rows.var)(end - begin, n, divisor(x.shape(), dims, correction),
                                   px + begin * n, out + begin);
    });
  });
  return y;
}

// The variance may be finite where the sum of the squares is not: there it is std^2, which is
// computed from smaller numbers.
Tensor var_values(const Tensor& x, const Dims& dims, double correction, bool keep) {
  const NoGrad no_grad;
  const Tensor y = values<false>(x, dims, correction, keep), over = isinf(y);
  if (!any(over)) return y;
  const Tensor s = values<true>(x, dims, correction, keep);
  return where(over, s * s, y);
}

template <bool root>
Tensor forward(const Op& op, const Tensor& x, const Dims& list, double correction, bool keep) {
  check_floating(x.dtype(), op.name);
  const Dims dims = wrap_dims(list, x.rank(), op.name);
  const Tensor y = (root ? values<true> : var_values)(x, dims, correction, keep);
  return op.record(y, {x}, {{"dims", dims}, {"correction", correction}});
}

}  // namespace

namespace ops {
extern const Op var{.name = "var",
                    .signature = "(*) -> (*)",
                    .definition = var_definition,
                    .saves = saves_input(0),
                    .formula = var_formula,
                    .kernel = kernel<false>};
extern const Op std{.name = "std",
                    .signature = "(*) -> (*)",
                    .definition = std_definition,
                    .saves = saves_input(0) | saves_output,
                    .formula = std_formula,
                    .kernel = kernel<true>};
}  // namespace ops

Tensor var(const Tensor& x, const Dims& dims, double correction, bool keep) {
  return forward<false>(ops::var, x, dims, correction, keep);
}

Tensor std(const Tensor& x, const Dims& dims, double correction, bool keep) {
  return forward<true>(ops::std, x, dims, correction, keep);
}

}  // namespace slope
