// Finite limits that naive code loses: values and derivatives at infinities, zeros, denormals, and
// where an intermediate value over- or underflows. Kernel and formula must both give them.
#include <slope/autograd/backward.h>
#include <slope/autograd/ops.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace slope;

namespace {

using Values = std::vector<double>;
constexpr double infinite = INFINITY;

Values row_of(const Tensor& x) { return x.to_vector(); }

Tensor of(const Values& v, DType dtype = f32) {
  return to(from_vector(v, {static_cast<int64_t>(v.size())}), dtype);
}

void check_row(const Values& got, const Values& right) {
  REQUIRE(got.size() == right.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CAPTURE(got[i]);
    CAPTURE(right[i]);
    CHECK((got[i] == right[i] || std::abs(got[i] - right[i]) <= 2e-5 * std::abs(right[i])));
  }
}

// The gradient of sum f(x) by the kernel and by the formula.
void check_grad(const std::function<Tensor(const Tensor&)>& f, const Values& at,
                const Values& right, DType dtype = f32) {
  for (const bool create_graph : {false, true}) {
    CAPTURE(create_graph);
    const Tensor x = of(at, dtype).set_requires_grad();
    check_row(row_of(grad({sum(f(x))}, {x}, {.create_graph = create_graph})[0]), right);
  }
}

// d/dx of <v, gradient of sum f(x)>
void check_second(const std::function<Tensor(const Tensor&)>& f, const Values& at, const Values& v,
                  const Values& right) {
  const Tensor x = of(at).set_requires_grad();
  const Tensor dx = grad({sum(f(x))}, {x}, {.create_graph = true})[0];
  check_row(row_of(grad({sum(dx * of(v))}, {x})[0]), right);
}

}  // namespace

TEST_CASE("edges: prod with zeros and with what overflows on the way") {
  const auto all = [](const Tensor& x) { return prod(x); };
  check_grad(all, {0, 0, 1e20, 1e20}, {0, 0, 0, 0});
  check_grad(all, {1e20, 0, 1e20, 0, 1e20}, {0, 0, 0, 0, 0});
  check_grad(all, {0, 1e30, 1e30, 1e-30, 1e-30}, {1, 0, 0, 0, 0});
  check_grad(all, {1e-30, 1e-30, 1e30, 1e30}, {1e30, 1e30, 1e-30, 1e-30});
  Values many(130, 2);
  many[3] = many[77] = 0;
  check_grad(all, many, Values(130, 0));
  check_row(row_of(prod(of({1e-30, 1e-30, 1e30, 1e30}))), {1});
  check_row(row_of(prod(of({1e-20, 1.1e-22, 1e20}))), {1.1e-22});  // a denormal on the way
  check_grad(all, {1e-20, 1.1e-22, 1e20, 1e15}, {1.1e13, 1e15, 1.1e-27, 1.1e-22});
  const Values denormal{0.5, 0x1p-1074, 0x1p1000};
  check_row(row_of(prod(of(denormal, f64))), {0x1p-75});
  check_grad(all, denormal, {0x1p-74, 0x1p999, 0}, f64);
  check_second(all, {0, 0, 3, 4}, {1, 0, 0, 0}, {0, 12, 0, 0});
  check_second(all, {2, 3, 4}, {1, 1, 1}, {7, 6, 5});
  check_second(all, {0, 0, 0, 1e20, 1e20, 1e20}, Values(6, 1), Values(6, 0));
  check_second(all, {1e-10, 1e-10, 1e10, 1e10, 1e10, 1e-10, 1e10, 1e-10, 0, 0}, Values(10, 1),
               {0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  check_second(all, {1e10, 1e10, 1e10, 1e10, 1e-10, 1e-10, 0}, {0, 0, 0, 0, 0, 0, 1},
               {1e10, 1e10, 1e10, 1e10, 1e30, 1e30, 0});
  Values one_zero(127, 2), only_last(127, 0), right(127, 0x1p125);
  one_zero[126] = right[126] = 0, only_last[126] = 1;
  check_second(all, one_zero, only_last, right);
}

TEST_CASE("edges: std and norm of equal, huge and tiny elements") {
  const auto deviation = [](const Tensor& x) { return slope::std(x); };
  const double r = std::sqrt(0.5);
  check_grad(deviation, {1000.1, 1000.1, 1000.1}, {0, 0, 0});
  check_grad(deviation, {-3e30, -3e30}, {0, 0});
  CHECK(slope::std(full({3}, 1000.1)).item() == 0);
  CHECK(row_of(slope::var(full({2, 20000}, 1000.1), {1})) == Values{0, 0});  // long rows
  CHECK(row_of(slope::std(full({3, 2}, -0.1), {0})) == Values{0, 0});
  for (const Dims& shape : {Dims{1, 4}, Dims{4, 1}}) {  // the sum of the squares is infinite
    const Tensor x = of({1.8e19, -1.8e19, 1.8e19, -1.8e19}).reshape(shape);
    check_row(row_of(slope::var(x, {shape[0] == 4 ? 0 : 1}, 0)), {1.8e19 * 1.8e19});
  }
  for (const double c : {1e20, 1e-23, 1e-30, 1e36}) {
    CAPTURE(c);
    check_row(row_of(slope::std(of({c, -c}))), {c / r});
    check_grad(deviation, {c, -c}, {r, -r});
    check_row(row_of(norm(of({3 * c, -4 * c}))), {5 * c});
    for (const double p : {2.0, 2.5, 4.0, 1.5}) {
      const double y = std::pow(std::pow(3, p) + std::pow(4, p), 1 / p);
      check_grad([=](const Tensor& x) { return norm(x, p); }, {3 * c, -4 * c},
                 {std::pow(3 / y, p - 1), -std::pow(4 / y, p - 1)});
    }
  }
  // the quotient underflows, its power does not
  check_grad([](const Tensor& x) { return norm(x, 1.1); }, {1e-30, -1e20, 0}, {1e-5, -1, 0});
  check_grad([](const Tensor& x) { return norm(x, 0.5); }, {-1e-30, 1e20, 0}, {-1e25, 1, 0});
  check_grad([](const Tensor& x) { return norm(x, 0.5); }, {1e-200, 1e200}, {1e200, 1}, f64);
  check_second([](const Tensor& x) { return norm(x, 2.5); }, {0, 3}, {1, 1}, {0, 0});
  check_second([](const Tensor& x) { return norm(x, 4); }, {0, 3}, {1, 1}, {0, 0});
}

TEST_CASE("edges: std of deviations far below the elements, over any dims") {
  const double c = 1e-30;
  const Tensor x = of({c, c * (1 + 1.2e-7), c, c * (1 + 2.4e-7)});
  const double right = slope::std(to(x, f64)).item();
  check_row(row_of(slope::std(x, {0})), {right});
  check_row(row_of(slope::std(x.reshape({4, 1}), {0})), {right});
}

TEST_CASE("edges: second derivatives of norms of denormals") {
  // elements c, 2 c, 3 c, c, 2 c, …
  const double c = 1e-39;
  for (const int n : {12, 63, 399}) {
    CAPTURE(n);
    Values at, v(static_cast<size_t>(n), 0);
    for (int i = 0; i < n; ++i) at.push_back(c * (1 + i % 3));
    v[1] = 1;
    const auto first = [&](const std::function<Tensor(const Tensor&)>& f) {
      const Tensor x = of(at).set_requires_grad();
      const Tensor dx = grad({f(x)}, {x}, {.create_graph = true})[0];
      return grad({sum(dx * of(v))}, {x})[0].narrow(0, 0, 2);
    };
    for (const double p : {2.0, 3.0}) {
      const double sums = (1 + std::pow(2, p) + std::pow(3, p)) * n / 3, y = std::pow(sums, 1 / p);
      check_row(row_of(first([&](const Tensor& x) { return norm(x, p); })),
                {-(p - 1) * std::pow(2, p - 1) / sums / std::pow(y, p - 1) / c,
                 (p - 1) * (std::pow(2, p - 2) - std::pow(2, 2 * p - 2) / sums) /
                     std::pow(y, p - 1) / c});
    }
    // the mean is 2 c: element 1 has no deviation
    const double y = std::sqrt(2.0 / 3 * n / (n - 1));
    check_row(row_of(first([](const Tensor& x) { return slope::std(x); })),
              {-1 / y / (n - 1) / n / c, (1 - 1.0 / n) / y / (n - 1) / c});
  }
}

TEST_CASE("edges: gradients at infinities") {
  check_grad([](const Tensor& x) { return logsumexp(x, {}); }, {-infinite, -infinite}, {0, 0});
  check_grad([](const Tensor& x) { return logsumexp(x, {}); }, {infinite, 0, -infinite}, {1, 0, 0});
  for (const DType dtype : {f32, f64}) {
    check_grad([](const Tensor& x) { return silu(x); }, {-infinite, infinite}, {0, 1}, dtype);
    check_grad([](const Tensor& x) { return gelu(x); }, {-infinite, infinite, 2e19}, {0, 1, 1},
               dtype);
    check_grad([](const Tensor& x) { return gelu_tanh(x); }, {-infinite, infinite, 2e19, -2e19},
               {0, 1, 1, 0}, dtype);
    check_grad([](const Tensor& x) { return erf(x); }, {-infinite, infinite, 1e30}, {0, 0, 0},
               dtype);
  }
  for (Tensor (*f)(const Tensor&) : {&silu, &erf, &gelu_tanh})
    check_second(f, {-infinite, infinite, 1e30}, {1, 1, 1}, {0, 0, 0});
}

TEST_CASE("edges: quotients and logarithms of denormals") {
  const Tensor zero = tensor({0.0f});
  check_grad([&](const Tensor& b) { return zero / b; }, {1e-40}, {0});
  const auto divergence = [&](const Tensor& p) { return kl_div(zero, p); };
  check_grad(divergence, {1e-40}, {std::log(1e-40) + 1});
  check_second(divergence, {1e-20}, {1}, {1e20});
  const auto none = [](const Tensor& x) { return 0 / x; };
  check_grad(none, {1e-40, 0x1p-149, -2}, {0, 0, 0});
  check_second(none, {1e-40, 0x1p-149, -2}, {1, 1, 1}, {0, 0, 0});
  check_grad([](const Tensor& x) { return rsqrt(x); }, {1.5e-26, 4},
             {-0.5 * std::pow(1.5e-26, -1.5), -1.0 / 16});
}

TEST_CASE("edges: powers of denormals") {
  for (const double a : {1e-40, -1e-40})
    check_grad([](const Tensor& x) { return pow(x, zeros({1})); }, {a}, {0});
  const Tensor b = of({0x1p-133});
  check_grad([&](const Tensor& x) { return pow(x, b); }, {0x1p-133, 0x1p-135}, {1, 4});
  check_grad([](const Tensor& b) { return pow(of({1e-40}), b); }, {0}, {std::log(1e-40)});
  // a^(b-1) overflows, and b / a: b a^(b-1) does not
  const double d = std::exp2(-5 + 135 - 135.0 / 32);
  check_grad([](const Tensor& x) { return pow(x, of({0x1p-5})); }, {0x1p-135, 1}, {d, 0x1p-5});
  check_grad([](const Tensor& x) { return pow(x, 0x1p-5); }, {0x1p-135, 1}, {d, 0x1p-5});
  check_grad([](const Tensor& x) { return pow(x, 0.01); }, {0}, {infinite});
}

TEST_CASE("edges: powers at infinite bases and exponents, and where the power alone overflows") {
  for (const DType dtype : {f32, f64}) {
    check_grad([](const Tensor& x) { return pow(x, full({}, INFINITY, x.dtype())); }, {0.5, 0},
               {0, 0}, dtype);
    check_grad([](const Tensor& x) { return pow(x, full({}, -INFINITY, x.dtype())); }, {2}, {0},
               dtype);
    check_grad([](const Tensor& x) { return pow(x, INFINITY); }, {0.5}, {0}, dtype);
    check_grad([](const Tensor& b) { return pow(full({}, INFINITY, b.dtype()), b); }, {-1}, {0},
               dtype);
  }
  check_grad([](const Tensor& b) { return pow(of({2}), b); }, {128}, {0x1p127 * 2 * std::log(2.0)});
  const Tensor b = tensor({-100.0}).set_requires_grad();  // a power of a negative base has none
  pow(tensor({-1e20}), b).backward(ones({1}));
  CHECK(std::isnan(b.grad().item()));
}

TEST_CASE("edges: second derivatives of powers whose factors overflow, their product not") {
  const auto times = [](double b, double a) { return b * (b - 1) * std::pow(a, b - 2); };
  for (const double b : {0.001, -0.01})
    check_second([=](const Tensor& x) { return pow(x, b); }, {1e-20}, {1}, {times(b, 1e-20)});
  // d/da of (da + db), da = b a^(b-1), db = a^b log a
  for (const auto& [a, b] : std::vector<std::array<double, 2>>{
           {1e-20, 0}, {1e-20, 0.001}, {1e20, 2}, {1e38, 1.5}, {2, 3}}) {
    CAPTURE(a);
    const Tensor x = of({a}).set_requires_grad(), y = of({b}).set_requires_grad();
    const Tensors d = grad({pow(x, y)}, {x, y}, {.create_graph = true});
    check_row(row_of(grad({d[0] + d[1]}, {x})[0]),
              {times(b, a) + std::pow(a, b - 1) * (b * std::log(a) + 1)});
  }
}

TEST_CASE("edges: an infinite g reaches nothing through relu, sign or a power that is constant") {
  const Values below(40, -1), nothing(40, 0);
  check_grad([](const Tensor& x) { return sqrt(relu(x)); }, below, nothing);
  check_grad([](const Tensor& x) { return sum(relu(x)) * infinite; }, {-1, 2, 0}, {0, infinite, 0});
  check_grad([](const Tensor& x) { return log(1 + sign(x)); }, below, nothing);
  check_grad([](const Tensor& x) { return relu(x); }, {double(NAN)}, {1});
  const Tensor zero = zeros({1});
  check_grad([&](const Tensor& x) { return log(1 - pow(x, zero)); }, {2}, {0});
  check_grad([&](const Tensor& b) { return sqrt(pow(zero, b)); }, {2}, {0});
}

TEST_CASE("edges: the mixed derivative of a power of a denormal") {
  // d/da of a^b log a = a^(b-1) (b log a + 1)
  for (const auto& [a, b, right] :
       std::vector<std::array<double, 3>>{{0x1p-149, 1, -149 * std::log(2.0) + 1},
                                          {1e-40, 17, 0},
                                          {1e-30, 1, std::log(1e-30) + 1}}) {
    CAPTURE(a);
    const Tensor x = of({a}).set_requires_grad(), y = of({b}).set_requires_grad();
    const Tensor db = grad({pow(x, y)}, {y}, {.create_graph = true})[0];
    check_row(row_of(grad({db}, {x})[0]), {right});
  }
}

TEST_CASE("edges: log-sum-exp of large numbers shares the gradient") {
  for (const double c : {1e4, 1e10, -1e10, 1e30})
    for (const DType dtype : {f32, f64})
      check_grad([](const Tensor& x) { return logsumexp(x, {}); }, {c, c}, {0.5, 0.5}, dtype);
  check_grad(
      [](const Tensor& x) {
        return logsumexp(x.reshape({3, 2}), {1});
      },
      {1e6, 1e6, 0, 0, -infinite, -infinite}, {0.5, 0.5, 0.5, 0.5, 0, 0});
  check_second([](const Tensor& x) { return logsumexp(x, {}); }, {1e6, 1e6}, {1, 0}, {0.25, -0.25});
}

TEST_CASE("edges: derivatives of the mean of nothing are zero to second order") {
  for (const auto& loss : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& x) { return mse_loss(x, zeros_like(x)); },
           [](const Tensor& x) { return mean(x * x); }}) {
    const Tensor x = zeros({0}).set_requires_grad(), g = ones({}).set_requires_grad();
    const Tensor dx = grad({loss(x)}, {x}, {.grad_outputs = {g}, .create_graph = true})[0];
    CHECK(grad({sum(dx)}, {g})[0].item() == 0);
  }
  const Tensor x = ones({2, 3}).set_requires_grad(), g = ones({}).set_requires_grad();
  const Tensor loss = cross_entropy(x, tensor({0, 0}), {.ignore_index = 0});
  CHECK(std::isnan(loss.item()));
  const Tensor dx = grad({loss}, {x}, {.grad_outputs = {g}, .create_graph = true})[0];
  CHECK(row_of(dx) == Values(6, 0));
  CHECK(grad({sum(dx)}, {g})[0].item() == 0);
}

TEST_CASE("edges: what an ignored target hides has no part in any derivative") {
  for (const double hidden : {infinite, -infinite, double(NAN)})
    check_grad(
        [](const Tensor& x) {
          return cross_entropy(x.reshape({2, 2}), tensor({1, -100}), {.reduction = Reduction::sum});
        },
        {0, 0, hidden, 0}, {0.5, -0.5, 0, 0});
}

TEST_CASE("edges: norms of rows whose squares over- or underflow") {
  for (const double c : {1.0, 1e14, 1e20, 1e30}) {
    CAPTURE(c);
    const Tensor w = ones({2});
    const Tensor x = of({c, 2 * c});
    check_row(row_of(rms_norm(x, w)), {1 / std::sqrt(2.5), 2 / std::sqrt(2.5)});
    const Tensor h = tensor({1.0f, 0.0f});
    // dx_i = (h_i - z_i mean(h z)) / rms
    check_grad([&](const Tensor& x) { return rms_norm(x, w) * h; }, {c, 2 * c},
               {0.8 / std::sqrt(2.5) / c, -0.4 / std::sqrt(2.5) / c});
    check_row(row_of(layer_norm(of({c, -c}), w, {})), {1, -1});
  }
}

TEST_CASE("edges: normalised rows without length, and an eps whose root's cube overflows") {
  const Tensor h = of({1, -2});
  check_grad([&](const Tensor& x) { return rms_norm(x, {}, 1e-30) * h; }, {0, 0}, {1e15, -2e15});
  for (const double c : {0.0, 1000.1, 1e15, 1e-30})
    check_grad([&](const Tensor& x) { return layer_norm(x, {}, {}, 1e-30) * h; }, {c, c},
               {1.5e15, -1.5e15});
  check_grad([&](const Tensor& x) { return layer_norm(x, {}, {}, 1e-250) * to(h, f64); }, {2, 2},
             {1.5e125, -1.5e125}, f64);
}

TEST_CASE("edges: extrema of bools are bools") {
  const Tensor x = tensor({{true, false}, {false, false}});
  CHECK(row_of(amax(x, {1})) == Values{1, 0});
  CHECK(amin(x).dtype() == boolean);
  CHECK(row_of(max(x)) == Values{1});
  const auto [y, i] = max(x, 1);
  CHECK(y.dtype() == boolean);
  CHECK(row_of(i) == Values{0, 0});
  CHECK(row_of(min(x, 0).indices) == Values{1, 0});
}

TEST_CASE("edges: an extreme of nothing is refused in the name of the function") {
  const auto refusal = [](const auto& f) -> std::string {
    try {
      (void)f(zeros({0}));
    } catch (const ShapeError& e) {
      return e.what();
    }
    return "";
  };
  const std::string why = ": nothing to take the extreme of: shape (0,), dim 0";
  CHECK(refusal([](const Tensor& x) { return max(x); }) == "max" + why);
  CHECK(refusal([](const Tensor& x) { return min(x); }) == "min" + why);
  CHECK(refusal([](const Tensor& x) { return max(x, 0); }) == "max" + why);
  CHECK(refusal([](const Tensor& x) { return amax(x); }) == "amax" + why);
  CHECK(refusal([](const Tensor& x) { return amin(x); }) == "amin" + why);
  CHECK(refusal([](const Tensor& x) { return argmax(x); }) == "argmax" + why);
  CHECK(refusal([](const Tensor& x) { return argmin(x, 0); }) == "argmin" + why);
  CHECK_THROWS_WITH_AS((void)argmax(zeros({2, 0, 3})), doctest::Contains("(2, 0, 3), dim 1"),
                       ShapeError);
}

TEST_CASE(
    "edges: attention's formula masks scores of any size, and rows that see -infinite alone") {
  const Tensor k = tensor({{1.0}, {2.0}}, f64), v = tensor({{3.0}, {5.0}}, f64);
  const AttentionOptions first{.mask = tensor({{true, false}}), .scale = 1.0};
  const auto see_first = [&](const Tensor& q) {
    return scaled_dot_product_attention(q.reshape({1, 1}), k,
                                        v.detach() * q.reshape({1, 1}) / -1e200, first);
  };
  check_grad(see_first, {-1e200}, {3 / -1e200}, f64);
  const Tensor q = tensor({{-1.0}}, f64);
  const auto lowest = [&](const Tensor& v) {
    return scaled_dot_product_attention(q, full({1, 1}, INFINITY, f64), v.reshape({1, 1}));
  };
  check_grad(lowest, {3}, {0}, f64);
}

TEST_CASE("edges: what attention masks has no part in any derivative, even if it is not finite") {
  for (const double hidden : {double(NAN), infinite, -infinite}) {
    const Values last_hidden{1, 0.5, hidden}, some{0.25, 3};
    const auto column = [](const Values& v) { return of(v).reshape({-1, 1}); };
    const Tensor k = column(last_hidden), clean = column({1, 0.5, 0}), q = column(some);
    for (const bool causal : {false, true}) {  // row 0 sees keys 0 and 1, and row 1 only key 0
      AttentionOptions options{.mask = tensor({{true, true, false}, {true, false, false}}),
                               .causal = causal};
      if (causal) options.mask = tensor({{true, true, true}, {true, false, false}});
      const auto gradients = [&](const Tensor& keys, bool create_graph) {
        const Tensors leaves{q.detach().set_requires_grad(), keys.detach().set_requires_grad(),
                             keys.detach().set_requires_grad()};
        const Tensor y = scaled_dot_product_attention(leaves[0], leaves[1], leaves[2], options);
        return grad({sum(y)}, leaves, {.create_graph = create_graph});
      };
      const Tensors right = gradients(clean, false);
      for (const bool create_graph : {false, true}) {
        const Tensors got = gradients(k, create_graph);
        for (size_t i = 0; i < 3; ++i) check_row(row_of(got[i]), row_of(right[i]));
      }
    }
  }
  // the weights do not depend on v
  check_grad(
      [&](const Tensor& q) {
        return scaled_dot_product_attention_with_weights(
                   q.reshape({1, 1}), of({1, 2}).reshape({2, 1}), of({2, INFINITY}).reshape({2, 1}))
            .weights.select(1, 0);
      },
      {1}, {-std::exp(1.0) / (1 + std::exp(1.0)) / (1 + std::exp(1.0))});
}

TEST_CASE(
    "edges: a number beyond f32 is refused where it would be written, and compares as infinite") {
  const Tensor x = tensor({1.0, infinite}), m = tensor({true, false});
  CHECK_THROWS_WITH_AS((void)masked_fill(x, m, 1e39), "fill: 1e+39 does not fit in float32",
                       DTypeError);
  CHECK(row_of(masked_fill(x, m, -infinite)) == Values{-infinite, infinite});
  CHECK(row_of(masked_fill(to(x, f64), m, 1e39)) == Values{1e39, infinite});
  CHECK(row_of(x < 1e39) == Values{1, 0});
  CHECK(row_of(x > -1e39) == Values{1, 1});
}
