// Ten mistakes in one layer with operations of its own: the report must name the operation, say
// what is wrong with it, and list the parameters that it spoils.
#include <doctest/doctest.h>
#include <slope/autograd/gradcheck/gradcheck.h>
#include <slope/nn/nn.h>
#include <slope/tests/autograd/planted.h>

#include <cmath>

using namespace slope;

namespace {

int mistake = -1;  // which one is in place; -1: none

const double root_d = std::sqrt(6.0);
Tensor transposed(const Tensor& x) { return x.transpose(0, 1); }
Tensor rows(const Tensor& x, int64_t start, int64_t length) { return narrow(x, 0, start, length); }
Tensor deviation(const Tensor& x) { return rsqrt(mean(x * x, {1}, keepdim) + 1e-5); }

using Rule = Grads (*)(const slope::Saved& s, const Tensor& g);
template <Rule right, Rule wrong, int number>
Grads either(const slope::Saved& s, const Tensor& g) {
  return (mistake == number ? wrong : right)(s, g);
}
#define RULE(...) \
  [](const slope::Saved& s, const Tensor& g) -> Grads { return (void)s, Grads{__VA_ARGS__}; }
#define OPERATION(id, number, right, wrong)                                                    \
  const Op id {                                                                                \
    .name = #id, .saves = saves_inputs | saves_output, .formula = either<right, wrong, number> \
  }

// tokens 0, 1, 2, 1: row 1 is used twice, row 3 never
OPERATION(lookup, 0,
          RULE(cat({rows(g, 0, 1), rows(g, 1, 1) + rows(g, 3, 1), rows(g, 2, 1),
                    0 * rows(g, 0, 1)})),
          RULE(cat({rows(g, 0, 1), rows(g, 3, 1), rows(g, 2, 1), 0 * rows(g, 0, 1)})));
OPERATION(shift, 1, RULE(roll(g, {-1}, {0})), RULE(roll(g, {1}, {0})));
Tensor through_rms(const slope::Saved& s, const Tensor& g) {
  const Tensor x = s.input(0), gw = g * s.input(1), r = deviation(x), y = x * r;
  return r * (gw - y * mean(gw * y, {1}, keepdim));
}
OPERATION(rms, 2, RULE(through_rms(s, g), sum(g* s.input(0) * deviation(s.input(0)), {0})),
          RULE(through_rms(s, g), select(g* s.input(0) * deviation(s.input(0)), 0, 0)));
OPERATION(scores, 3,
          RULE(matmul(g, s.input(1)) / root_d, matmul(transposed(g), s.input(0)) / root_d),
          RULE(matmul(g, s.input(1)) / root_d, matmul(transposed(g), s.input(0))));
OPERATION(causal, 4, RULE(tril(g)), RULE(triu(g)));
OPERATION(attend, 5, RULE(s.output() * (g - sum(g * s.output(), {1}, keepdim))),
          RULE(s.output() * g));
Tensor z(const slope::Saved& s) { return sigmoid(s.input(0)); }
OPERATION(gate, 6, RULE(g* z(s) * (1 + s.input(0) * (1 - z(s)))),
          RULE(g* z(s) * (1 + s.input(0) * (1 + z(s)))));
OPERATION(project, 7, RULE(matmul(g, s.input(1)), matmul(transposed(g), s.input(0))),
          RULE(matmul(g, transposed(s.input(1))), matmul(transposed(g), s.input(0))));
OPERATION(biased, 8, RULE(g, sum(g, {0})), RULE(g, mean(g, {0})));

template <class F>
Tensor call(const Op& op, const Tensors& in, F&& forward) {
  return test::with_rule(
      op, [&] { return forward(in); }, in);
}

struct WrongLayer {
  nn::Parameter table{randn({4, 6})}, wq{randn({6, 6})}, wk{randn({6, 6})}, wv{randn({6, 6})},
      gain{randn({6})}, wo{randn({6, 6})}, bias{randn({6})};

  Tensor forward(const Tensor& tokens) const {  // (L) -> (L, 6)
    const Tensor e =
        call(lookup, {table}, [&](const Tensors& in) { return index_select(in[0], 0, tokens); });
    const Tensor x = call(shift, {e}, [](const Tensors& in) { return roll(in[0], {1}, {0}); });
    const Tensor h = call(rms, {x, gain}, [](const Tensors& in) { return rms_norm(in[0], in[1]); });
    const Tensor all = call(scores, {linear(h, wq), linear(h, wk)}, [](const Tensors& in) {
      return matmul(in[0], transposed(in[1])) / root_d;
    });
    const Tensor seen = call(causal, {all}, [](const Tensors& in) { return tril(in[0]); });
    const Tensor a = call(attend, {seen}, [](const Tensors& in) { return softmax(in[0], 1); });
    const Tensor m =
        call(gate, {matmul(a, linear(h, wv))}, [](const Tensors& in) { return silu(in[0]); });
    const Tensor p = call(project, {m, wo}, [](const Tensors& in) { return linear(in[0], in[1]); });
    const Tensor y = call(biased, {p, bias}, [](const Tensors& in) { return in[0] + in[1]; });
    return y + (mistake == 9 ? x.detach() : x);
  }
  SLOPE_MODULE(WrongLayer, table, wq, wk, wv, gain, wo, bias)
};

struct Found {
  const char *operation, *likely, *wrong;
};
const Found found[]{
    {"lookup", "lost accumulation", "table"},
    {"shift", "dim 0 is shifted by 2", "table"},
    {"rms", "a missing sum over a broadcast dim", "gain"},
    {"scores", "a missing 1/sqrt(d)", "table wk gain"},
    {"causal", "another mask", "table wq wk gain"},
    {"attend", "a term with a sum or mean over dim 1", "table wq wk gain"},
    {"gate", "another power or operand", "table wq wk wv gain"},
    {"project", "a missing transposition", "table wq wk wv gain"},
    {"biased", "a mean in place of the sum over the broadcast dim", "bias"},
    {"add", "detached", "table"},
};

}  // namespace

TEST_CASE("doctor: ten mistakes in a layer, each found from the report alone") {
  manual_seed(3);
  WrongLayer layer;
  nn::to(layer, f64);
  const Tensor tokens = tensor({0, 1, 2, 1});
  const auto check = [&] {
    return gradcheck([&] { return Tensors{layer(tokens)}; }, nn::named_parameters(layer),
                     test::quiet);
  };
  CHECK(check().ok);
  for (mistake = 0; mistake < 10; ++mistake) {
    const auto& [operation, likely, wrong] = found[mistake];
    const GradcheckReport report = check();
    const std::string text = report.text(), first_line = text.substr(0, text.find('\n')),
                      first_guess = first_line.substr(0, first_line.find("; or "));
    CAPTURE(text);
    CHECK(first_guess.find(fmt::format("because of {}; likely ", operation)) != std::string::npos);
    CHECK(first_guess.find(likely) != std::string::npos);
    std::string names;
    for (const GradcheckLeaf& leaf : report.leaves)
      if (leaf.failed > 0) names += (names.empty() ? "" : " ") + leaf.name;
    CHECK(names == wrong);
  }
  mistake = -1;
}
