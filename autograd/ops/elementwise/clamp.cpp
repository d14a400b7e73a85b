#include <slope/autograd/ops/elementwise/elementwise.h>

namespace slope {

namespace {

constexpr Definition clamp_definition{"y = min(max(x, low), high)",
                                      "dx = g where low <= x <= high, else 0"};

Grads clamp_formula(const Saved& s, const Tensor& g) {
  const Tensor x = s.input();
  return {masked_fill(g, !logical_and(x >= s.number("low"), x <= s.number("high")), 0)};
}

}  // namespace

namespace ops {
extern const Op clamp{.name = "clamp",
                      .signature = "(*) -> (*)",
                      .definition = clamp_definition,
                      .saves = saves_input(),
                      .formula = clamp_formula};
}

Tensor clamp(const Tensor& x0, std::optional<Scalar> low, std::optional<Scalar> high) {
  SLOPE_CHECK(low || high, "clamp: needs a lower or an upper bound");
  const double a = low ? low->to_double() : -INFINITY, b = high ? high->to_double() : INFINITY;
  SLOPE_CHECK(!std::isnan(a) && !std::isnan(b), "clamp: a bound is nan");
  const Tensor above = low ? promoted_with(x0, *low) : x0,
               x = high ? promoted_with(above, *high) : above,
               y = Tensor::empty(x.shape(), x.dtype());
  if (x.dtype() == i64) {
    const int64_t least = low ? low->to_int64() : INT64_MIN,
                  most = high ? high->to_int64() : INT64_MAX;
    run_unary<int64_t, int64_t>(x, y, [=](int64_t n, const int64_t* p, int64_t step, int64_t* out) {
      for (int64_t i = 0; i < n; ++i) out[i] = std::min(std::max(p[i * step], least), most);
    });
    return y;
  }
  visit_floating(x.dtype(), "clamp", [&]<class T> {
    run_unary<T, T>(x, y, [=](int64_t n, const T* p, int64_t step, T* out) {
      for (int64_t i = 0; i < n; ++i) {
        const T v = p[i * step], raised = v < static_cast<double>(a) ? static_cast<T>(a) : v;
        out[i] = raised > b ? static_cast<T>(b) : raised;
      }
    });
  });
  return ops::clamp.record(y, {x}, {{"low", a}, {"high", b}});
}

}  // namespace slope
