// Elementwise operations of one tensor: the Op and the function of each row of
// core/kernels/elementwise/unary_rows.h.
//   y = f(x), dx = g * df(x); or dx = g * df(y) where that is simpler: then y is saved, not x
#include <slope/autograd/ops/elementwise/elementwise.h>
#include <slope/core/loops/copy.h>
#include <slope/core/loops/widened.h>

namespace slope {

// The functions that the rows use, for tensors; found by argument-dependent lookup.
// not clamp, whose derivative at nan is 0
static Tensor bounded(const Tensor& x) {
  return masked_fill(masked_fill(x, x > 1e4, 1e4), x < -1e4, -1e4);
}
// 1 - s(-x) where x > 0, so that s' = s (1 - s) is made of a small s and its digits
static Tensor logistic(const Tensor& x) {
  const Tensor above = x > 0, s = sigmoid(where(above, -x, x));
  return where(above, 1 - s, s);
}
static Tensor complement(const Tensor&, const Tensor& x) { return logistic(-x); }
static Tensor normal_cdf(const Tensor& x);

namespace {

template <class Row>
Tensor read(const Saved& s) {
  return Row::of_output ? s.output() : s.input();
}

template <class Row>
Grads formula(const Saved& s, const Tensor& g) {
  if constexpr (std::is_same_v<Row, Relu>)
    return {masked_fill(g, read<Row>(s) <= 0, 0)};  // is_choice: as in the loop
  else if constexpr (std::is_same_v<Row, Sign>)
    return {zeros_like(g)};
  else
    return {g * Row::df(read<Row>(s))};
}

// Calls loop(n, g, g_step, v, 1, dx) for parts of v, the saved x or y, which is kept in bf16.
template <class T, class Loop>
void run_on_kept(const Tensor& g, const Tensor& v, const Tensor& dx, const Loop& loop) {
  constexpr int64_t part = 1 << 12;
  const std::optional<int64_t> step = single_step(g, v.shape());
  if (!step || !v.is_contiguous())
    return run_binary<T, T>(g, contiguous_copy(v, dx.dtype()), dx, loop);
  const T* pg = g.data<T>();
  const auto out = dx.write<T>();
  parallel_for(v.numel(), elementwise_grain, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += part) {
      const int64_t n = std::min(part, end - begin);
      loop(n, pg + begin * *step, *step, Widened<T>(v, begin, begin + n), 1, out + begin);
    }
  });
}

template <class Row>
Grads backward_loop(const Saved& s, const Tensor& g) {
  const Tensor v = Row::of_output ? s.kept_output() : s.kept_input(),
               dx = s.target(0, v.shape(), g.dtype(), {.may_add = false, .over = &g}).tensor;
  visit_floating(g.dtype(), Row::name, [&]<class T> {
    const auto loop = kernels<Unary<T>>().rows[unary_index<Row>].backward;
    if (v.dtype() == g.dtype())
      run_binary<T, T>(g, v, dx, loop);
    else
      run_on_kept<T>(g, v, dx, loop);
  });
  return {dx};
}

template <class Row>
Tensor values(const Tensor& x) {
  const Tensor y = Tensor::empty(x.shape(), x.dtype());
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
constexpr bool is_activation = std::is_same_v<Row, Relu> || std::is_same_v<Row, GeluErf> ||
                               std::is_same_v<Row, GeluTanh> || std::is_same_v<Row, Silu>;

template <class Row>
constexpr Op op_of(Definition definition) {
  constexpr Saves saves = Row::of_output ? saves_output : saves_input(0);
  return {.name = Row::name,
          .signature = "(*) -> (*)",
          .definition = definition,
          .saves = saves,
          .rounds = is_activation<Row> ? saves : saves_nothing,
          .formula = formula<Row>,
          .kernel = backward_loop<Row>,
          .recompute = Row::of_output ? nullptr : recompute<Row>};
}

// A row's `dtypes` names this function or the next. This one converts integers to f32.
template <class Row>
Tensor floating(const Op& op, const Tensor& x0) {
  const Tensor x = is_floating(x0.dtype()) ? x0 : to(x0, f32);
  return op.record(values<Row>(x), {x});
}

// Keeps integers.
template <class Row>
Tensor any(const Op& op, const Tensor& x) {
  if (is_floating(x.dtype())) return op.record(values<Row>(x), {x});
  const Tensor integers = to(x, i64), y = Tensor::empty(x.shape(), i64);
  run_unary<int64_t, int64_t>(integers, y,
                              [](int64_t n, const int64_t* p, int64_t step, int64_t* out) {
                                for (int64_t i = 0; i < n; ++i) out[i] = Row::f(p[i * step]);
                              });
  return y;
}

constexpr Definition normal_cdf_definition{"y = Phi(x)", "dx = g phi(x), phi = Phi'"};
Grads normal_cdf_formula(const Saved& s, const Tensor& g) { return {g * normal_pdf(s.input())}; }
constexpr Op normal_cdf_op{.name = "normal_cdf",
                           .signature = "(*) -> (*)",
                           .definition = normal_cdf_definition,
                           .saves = saves_input(),
                           .formula = normal_cdf_formula};

}  // namespace

// An operation of its own: (1 + erf) / 2 would cancel for x < 0.
static Tensor normal_cdf(const Tensor& x) {
  const Tensor y = Tensor::empty(x.shape(), x.dtype());
  visit_floating(x.dtype(), "normal_cdf", [&]<class T> {
    run_unary<T, T>(x, y, [](int64_t n, const T* p, int64_t step, T* out) {
      for (int64_t i = 0; i < n; ++i) out[i] = normal_cdf_(p[i * step]);
    });
  });
  return normal_cdf_op.record(y, {x});
}

namespace ops {
#define SLOPE_UNARY(Row, name, dtypes, saves, f, df, y, dx, domain) \
  extern const Op name = op_of<Row>({y, dx, domain});
#include <slope/core/kernels/elementwise/unary_rows.h>
}  // namespace ops

#define SLOPE_UNARY(Row, name, dtypes, ...) \
  Tensor name(const Tensor& x) { return dtypes<Row>(ops::name, x); }
#include <slope/core/kernels/elementwise/unary_rows.h>

Tensor operator-(const Tensor& x) { return neg(x); }
Tensor gelu(const Tensor& x, Gelu form) { return form == Gelu::erf ? gelu(x) : gelu_tanh(x); }

}  // namespace slope
