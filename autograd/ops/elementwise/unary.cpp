// Elementwise operations of one tensor: for each row of core/kernels/elementwise/elementwise_rows.h
// its entry and its function.
//   y = f(x), dx = g df(x), or g df(y) where the derivative is simpler so and x need not be kept
#include <slope/autograd/ops/elementwise/elementwise.h>

#include <cmath>

namespace slope {

// found by the rows through its argument
static Tensor positive(const Tensor& x) { return to(!(x <= 0), x.dtype()); }

namespace {

template <class Row>
Tensor kept(const Saved& s) {
  return Row::of_output ? s.output() : s.input();
}

template <class Row>
Grads backward_loop(const Saved& s, const Tensor& g) {
  const Tensor v = kept<Row>(s), over = s.grad_to_overwrite(),
               dx = over.defined() ? over : Tensor::empty(v.shape(), v.dtype());
  visit_floating(v.dtype(), Row::name, [&]<class T> {
    run_binary<T, T>(g, v, dx, kernels<Unary<T>>().rows[unary_index<Row>].backward);
  });
  return {dx};
}

template <class Row>
Tensor values(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), Row::name, [&]<class T> {
    run_unary<T, T>(x, y, kernels<Unary<T>>().rows[unary_index<Row>].forward);
  });
  return y;
}
template <class Row>
Tensor recompute(const Saved& s) {
  return values<Row>(s.input());
}

template <class Row>
constexpr Op entry{
    .name = Row::name,
    .signature = "(*) -> (*)",
    .saves = Row::of_output ? saves_output : saves_input(0),
    .formula = [](const Saved& s, const Tensor& g) { return Grads{g * Row::df(kept<Row>(s))}; },
    .kernel = backward_loop<Row>,
    .recompute = Row::of_output ? nullptr : recompute<Row>};

template <class Row>
Tensor apply(const Op& op, const Tensor& x) {
  return op.record(values<Row>(x), {x});
}

// Whole numbers become f32.
template <class Row>
Tensor apply_floating(const Op& op, const Tensor& x) {
  return apply<Row>(op, is_floating(x.dtype()) ? x : to(x, f32));
}

// Whole numbers stay what they are.
template <class Row>
Tensor apply_any(const Op& op, const Tensor& x) {
  if (is_floating(x.dtype())) return apply<Row>(op, x);
  const Tensor whole = to(x, i64);
  Tensor y = Tensor::empty(x.shape(), i64);
  run_unary<int64_t, int64_t>(whole, y, [](int64_t n, const int64_t* p, int64_t step, int64_t* to) {
    for (int64_t i = 0; i < n; ++i) to[i] = Row::f(p[i * step]);
  });
  return y;
}

}  // namespace

namespace ops {
extern const Op neg = entry<Neg>, abs = entry<Abs>, sign = entry<Sign>, exp = entry<Exp>,
                expm1 = entry<Expm1>, log = entry<Log>, log1p = entry<Log1p>, sqrt = entry<Sqrt>,
                rsqrt = entry<Rsqrt>, sin = entry<Sin>, cos = entry<Cos>, tanh = entry<Tanh>,
                sigmoid = entry<Sigmoid>, relu = entry<Relu>, erf = entry<Erf>, gelu = entry<Gelu_>,
                gelu_tanh = entry<GeluTanh>, silu = entry<Silu>, softplus = entry<Softplus>;

// y = min(max(x, low), high), dx = g where low <= x <= high
extern const Op clamp{
    .name = "clamp",
    .signature = "(*) -> (*)",
    .saves = saves_input(0),
    .formula = [](const Saved& s, const Tensor& g) {
      const Tensor x = s.input();
      return Grads{masked_fill(g, !logical_and(x >= s.number("low"), x <= s.number("high")), 0)};
    }};
}  // namespace ops

Tensor neg(const Tensor& x) { return apply_any<Neg>(ops::neg, x); }
Tensor operator-(const Tensor& x) { return neg(x); }
Tensor abs(const Tensor& x) { return apply_any<Abs>(ops::abs, x); }
Tensor sign(const Tensor& x) { return apply_any<Sign>(ops::sign, x); }
Tensor relu(const Tensor& x) { return apply_any<Relu>(ops::relu, x); }
Tensor exp(const Tensor& x) { return apply_floating<Exp>(ops::exp, x); }
Tensor expm1(const Tensor& x) { return apply_floating<Expm1>(ops::expm1, x); }
Tensor log(const Tensor& x) { return apply_floating<Log>(ops::log, x); }
Tensor log1p(const Tensor& x) { return apply_floating<Log1p>(ops::log1p, x); }
Tensor sqrt(const Tensor& x) { return apply_floating<Sqrt>(ops::sqrt, x); }
Tensor rsqrt(const Tensor& x) { return apply_floating<Rsqrt>(ops::rsqrt, x); }
Tensor sin(const Tensor& x) { return apply_floating<Sin>(ops::sin, x); }
Tensor cos(const Tensor& x) { return apply_floating<Cos>(ops::cos, x); }
Tensor tanh(const Tensor& x) { return apply_floating<Tanh>(ops::tanh, x); }
Tensor sigmoid(const Tensor& x) { return apply_floating<Sigmoid>(ops::sigmoid, x); }
Tensor erf(const Tensor& x) { return apply_floating<Erf>(ops::erf, x); }
Tensor gelu(const Tensor& x, Gelu form) {
  return form == Gelu::erf ? apply_floating<Gelu_>(ops::gelu, x)
                           : apply_floating<GeluTanh>(ops::gelu_tanh, x);
}
Tensor silu(const Tensor& x) { return apply_floating<Silu>(ops::silu, x); }
Tensor softplus(const Tensor& x) { return apply_floating<Softplus>(ops::softplus, x); }

Tensor clamp(const Tensor& given, std::optional<double> low, std::optional<double> high) {
  SLOPE_CHECK(low || high, "clamp: needs a lower or an upper bound");
  SLOPE_CHECK(!(low && std::isnan(*low)) && !(high && std::isnan(*high)), "clamp: a bound is nan");
  const Tensor above = low ? meeting(given, *low) : given, x = high ? meeting(above, *high) : above;
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  if (x.dtype() == i64) {
    const int64_t a = low ? static_cast<int64_t>(*low) : INT64_MIN,
                  b = high ? static_cast<int64_t>(*high) : INT64_MAX;
    run_unary<int64_t, int64_t>(x, y, [=](int64_t n, const int64_t* p, int64_t step, int64_t* to) {
      for (int64_t i = 0; i < n; ++i) to[i] = std::min(std::max(p[i * step], a), b);
    });
    return y;
  }
  const double a = low.value_or(-INFINITY), b = high.value_or(INFINITY);
  visit_floating(x.dtype(), "clamp", [&]<class T> {
    run_unary<T, T>(x, y, [=](int64_t n, const T* p, int64_t step, T* to) {
      for (int64_t i = 0; i < n; ++i) {
        const T v = p[i * step], raised = v < static_cast<double>(a) ? static_cast<T>(a) : v;
        to[i] = raised > b ? static_cast<T>(b) : raised;
      }
    });
  });
  return ops::clamp.record(y, {x}, {{"low", a}, {"high", b}});
}

}  // namespace slope
