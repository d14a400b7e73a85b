// Points at which a rule has a branch of its own: ties, guards against 0/0, bounds, padding. Finite
// differences see nothing or a kink there, so the gradient of the sum must be what autograd/ops.h
// and the definitions promise.
#include <slope/autograd/gradcheck/cases/cases.h>

#include <cmath>

namespace slope {

Cases point_cases() {
  using Values = std::vector<double>;
  Cases result;
  const auto add = [&](const char* op, const char* label, std::vector<Values> at,
                       std::vector<Values> gradient, std::vector<Dims> shapes,
                       std::function<Tensor(const Tensors&)> f) {
    std::vector<CaseInput> inputs;
    for (const Dims& shape : shapes) inputs.push_back({shape});
    result.cases.push_back({.name = op,
                            .label = label,
                            .inputs = std::move(inputs),
                            .f = [f](const Tensors& x) { return Tensors{f(x)}; },
                            .kind = Case::Kind::points,
                            .values = std::move(at),
                            .expected = std::move(gradient)});
  };
  const auto one = [&](const char* op, const char* label, Values at, Values gradient,
                       Tensor (*f)(const Tensor&)) {
    const auto n = static_cast<int64_t>(at.size());
    add(op, label, {std::move(at)}, {std::move(gradient)}, {{n}},
        [f](const Tensors& x) { return f(x[0]); });
  };
  const auto two = [&](const char* op, const char* label, Values a, Values b, Values da, Values db,
                       Tensor (*f)(const Tensor&, const Tensor&)) {
    const auto n = static_cast<int64_t>(a.size());
    add(op, label, {std::move(a), std::move(b)}, {std::move(da), std::move(db)}, {{n}, {n}},
        [f](const Tensors& x) { return f(x[0], x[1]); });
  };

  one("abs", "at 0", {0, 1}, {0, 1}, abs);
  one("relu", "at 0", {0, 1, -1}, {0, 1, 0}, relu);
  one("sqrt", "at 0", {0, 4}, {INFINITY, 0.25}, sqrt);
  one("log", "at 0", {0, 2}, {INFINITY, 0.5}, log);
  one("clamp", "at its bounds", {-1, 1, -1.5, 1.5}, {1, 1, 0, 0},
      [](const Tensor& x) { return clamp(x, -1.0, 1.0); });
  for (const auto& [op, f] : {std::pair<const char*, Tensor (*)(const Tensor&)>{"gelu", gelu},
                              {"gelu_tanh", gelu_tanh},
                              {"silu", silu},
                              {"softplus", softplus}})
    one(op, "far from 0", {1e5, -1e5}, {1, 0}, f);
  one("erf", "far from 0", {1e5, -1e5}, {0, 0}, erf);
  one("tanh", "far from 0", {1e3, -1e3}, {0, 0}, tanh);
  one("sigmoid", "far from 0", {1e3, -1e3}, {0, 0}, sigmoid);
  two("maximum", "ties", {1, 2, 0}, {1, 1, 3}, {0.5, 1, 0}, {0.5, 0, 1}, maximum);
  two("minimum", "ties", {1, 2, 0}, {1, 1, 3}, {0.5, 0, 1}, {0.5, 1, 0}, minimum);
  two("pow", "0^0, nan^0", {0, NAN}, {0, 0}, {0, 0}, {0, NAN}, pow);
  // At a = 2^-149, the smallest number of float32, a^(b-1) overflows, but b a^(b-1) does not.
  const double least = 0x1p-149, b = 0x1.6ap-22, y = std::pow(least, b);
  two("pow", "overflows on the way", {least}, {b}, {y * (b / least)}, {y * std::log(least)}, pow);
  two("pow", "0^b", {0, 0}, {2, 1}, {0, 1}, {0, 0}, pow);
  two("mul", "by 0", {0, 0}, {0, 3}, {0, 3}, {0, 0}, mul);
  two("bce_with_logits", "far from 0", {800, -800}, {1, 0}, {0, 0}, {-800, 800},
      [](const Tensor& x, const Tensor& t) { return bce_with_logits(x, t, Reduction::sum); });
  one("dropout", "p = 1", {1, 2}, {0, 0}, [](const Tensor& x) { return dropout(x, 1); });
  one("pow_scalar", "0^0", {0, 2}, {0, 0}, [](const Tensor& x) { return pow(x, 0); });
  one("pow_scalar", "at 0", {0, 1}, {0, 2}, [](const Tensor& x) { return pow(x, 2); });

  one("amax", "ties", {2, 2, 1}, {0.5, 0.5, 0}, [](const Tensor& x) { return amax(x); });
  one("amin", "ties", {2, 1, 1}, {0, 0.5, 0.5}, [](const Tensor& x) { return amin(x); });
  one("max", "ties", {2, 2, 1}, {1, 0, 0}, [](const Tensor& x) { return max(x, 0).values; });
  one("min", "ties", {2, 1, 1}, {0, 1, 0}, [](const Tensor& x) { return min(x, 0).values; });
  one("norm", "ties, p = inf", {2, -2, 1}, {0.5, -0.5, 0},
      [](const Tensor& x) { return norm(x, INFINITY); });
  one("norm", "of 0", {0, 0}, {0, 0}, [](const Tensor& x) { return norm(x); });
  one("norm", "of 0, p = 1", {0, 2}, {0, 1}, [](const Tensor& x) { return norm(x, 1); });
  one("norm", "of 0, p = 1.5", {0, 0}, {0, 0}, [](const Tensor& x) { return norm(x, 1.5); });
  one("norm", "a 0, p = 1.5", {0, 4}, {0, 1}, [](const Tensor& x) { return norm(x, 1.5); });
  one("norm", "of 0, p = 3", {0, 0}, {0, 0}, [](const Tensor& x) { return norm(x, 3); });
  one("norm", "of 0, p = inf", {0, 0}, {0, 0}, [](const Tensor& x) { return norm(x, INFINITY); });
  one("std", "of equal elements", {2, 2, 2}, {0, 0, 0}, [](const Tensor& x) { return std(x); });
  // In float32 the factor of x - mean x overflows, but the derivative does not.
  one("std", "of tiny deviations", {0, 0x1p-130, 0x1p-129}, {-0.5, 0, 0.5},
      [](const Tensor& x) { return std(x); });
  one("logsumexp", "of -inf", {-INFINITY, -INFINITY}, {0, 0},
      [](const Tensor& x) { return logsumexp(x, {0}); });
  one("logsumexp", "beyond its digits", {1e17, 1e17}, {0.5, 0.5},
      [](const Tensor& x) { return logsumexp(x, {0}); });
  one("logsumexp", "of inf", {INFINITY, INFINITY, 1}, {0.5, 0.5, 0},
      [](const Tensor& x) { return logsumexp(x, {0}); });
  one("layer_norm", "of equal elements", {2, 2, 2}, {0, 0, 0},
      [](const Tensor& x) { return layer_norm(x, {}, {}); });
  one("rms_norm", "of 0", {0, 0}, {10, 10}, [](const Tensor& x) { return rms_norm(x, {}, 0.01); });

  add("embedding", "padding", {{1, 2, 3}}, {{1, 0, 3}}, {{3, 1}}, [](const Tensors& x) {
    return embedding(tensor({0, 1, 1, 2, 2, 2}, i64), x[0], 1);
  });
  add("cross_entropy", "ignored", {{0, 0, 0, 0}}, {{-0.5, 0.5, 0, 0}}, {{2, 2}},
      [](const Tensors& x) {
        return cross_entropy(x[0], tensor({0, -100}, i64));
      });
  add("linear_cross_entropy", "ignored", {{1, 1}, {0, 0}, {0, 0}},
      {{0, 0}, {-0.5, 0.5}, {-0.5, 0.5}}, {{2, 1}, {2, 1}, {2}}, [](const Tensors& x) {
        return linear_cross_entropy(x[0], x[1], x[2], tensor({0, -100}, i64));
      });
  // 16 keys fill the kernel's vectors in either dtype. The last key is hidden.
  Values v(16, 1), dv(16, 2.0 / 15);
  v[15] = NAN, dv[15] = 0;
  add("scaled_dot_product_attention", "hides nan", {{0, 0}, Values(16), v},
      {{0, 0}, Values(16), dv}, {{2, 1}, {16, 1}, {16, 1}}, [](const Tensors& x) {
        return scaled_dot_product_attention(x[0], x[1], x[2], {.mask = arange(16) < 15});
      });
  return result;
}

}  // namespace slope
