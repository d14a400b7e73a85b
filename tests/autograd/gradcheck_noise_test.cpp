// Float32 steps inside float64 functions, drawn at random: right derivatives are not called wrong,
// and derivatives that are 5 % off are found.
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/fast/fast.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/core/tensor/random.h>
#include <slope/tests/sanitized.h>

#include <cmath>
#include <string>
#include <vector>

#include "gradcheck.h"

using namespace slope;
using test::quiet;

namespace {

// y = x, with a gradient that is off by a factor
const Op off_by{.name = "off_by", .formula = [](const Saved& s, const Tensor& g) {
                  return Grads{g * s.number("factor")};
                }};

class Draw {
 public:
  explicit Draw(int64_t function) : function_(function) {}
  double between(double low, double high) {
    return low + (high - low) * uniform_f64({.seed = 1, .site = 28}, function_ * 512 + n_++);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(between(0, static_cast<double>(n))); }

 private:
  int64_t function_, n_ = 0;
};

// Smooth steps of which one, or all from one on, are taken in float32; perhaps a float64 term
// beside them; magnitudes of input and output from 1e-3 to 1e3; a vector, a sum, a mean of squares.
struct Function {
  struct Step {
    int64_t kind;
    double a, b;
    Tensor weight;
  };
  std::vector<Step> steps, beside;
  size_t first32, last32;
  int64_t end;
  double scale, out;

  explicit Function(Draw& draw) {
    const auto some = [&](int64_t most) {
      std::vector<Step> result;
      for (int64_t left = 1 + draw.below(most); left > 0; --left) {
        std::vector<double> w(36);
        for (double& x : w) x = draw.between(-1, 1);
        result.push_back({draw.below(9), draw.between(0.5, 2), draw.between(-1, 1),
                          from_vector(w, {6, 6}).to(f64)});
      }
      return result;
    };
    scale = std::pow(10, draw.between(-3, 3));
    out = scale * std::pow(10, draw.between(-1, 3));
    steps = some(4);
    if (draw.below(3) == 0) beside = some(2);
    first32 = static_cast<size_t>(draw.below(static_cast<int64_t>(steps.size())));
    last32 = draw.below(3) == 0 ? steps.size() : first32;
    end = draw.below(4);
  }

  static Tensor taken(const Step& step, const Tensor& x) {
    switch (step.kind) {
      case 0: return step.a * x + step.b;
      case 1: return sin(step.a * x + step.b);
      case 2: return tanh(x);
      case 3: return x * x;
      case 4: return sqrt(1 + x * x);
      case 5: return log(1 + x * x);
      case 6: return 1 / (1 + x * x);
      case 7: return exp(step.b * x);
      default: return matmul(step.weight.to(x.dtype()), x);
    }
  }

  Tensor operator()(const Tensor& input, double factor) const {
    Tensor x = input;
    for (size_t k = 0; k < steps.size(); ++k) {
      if (k == first32) x = x.to(f32);
      if (k == 0) x = x / scale;
      x = taken(steps[k], x);
      if (k == last32) x = x.to(f64);
    }
    x = x.to(f64);
    if (!beside.empty()) {
      Tensor y = input / scale;
      for (const Step& step : beside) y = taken(step, y);
      x = x + y;
    }
    x = out * x;
    if (end == 1) x = sum(x);
    if (end == 2) x = sum(x.to(f32)).to(f64);
    if (end == 3) x = mean(x * x);
    return off_by.record(contiguous_copy(x), {x}, {{"factor", factor}});
  }
};

struct Found {
  int64_t functions = 0, wrong = 0, too_noisy = 0;  // of right derivatives
  int64_t missed = 0;                               // of derivatives that are 5 % off
};

Found found(DType dtype, int64_t functions) {
  GradcheckOptions options = quiet;
  options.find_culprit = false;
  Found result;
  for (int64_t n = 0; result.functions < functions; ++n) {
    Draw draw(n);
    const Function f(draw);
    std::vector<double> at(6);
    for (double& x : at) x = f.scale * draw.between(0.3, 1.5) * (draw.below(2) ? 1 : -1);
    const Tensor x = test::leaf(from_vector(at, {6}).to(dtype));
    const Tensor dx = grad({sum(f(x, 1))}, {x})[0];
    if (amax(abs(dx)).item() < 1e-3) continue;  // 5 % of it is within the tolerance
    const auto check = [&](double factor) {
      return gradcheck([&](const Tensors& in) { return Tensors{f(in[0], factor)}; }, {x}, options);
    };
    const GradcheckReport right = check(1);
    INFO("function ", n, ": ", right.text());
    if (dtype == f64) CHECK(right.failed == 0);
    ++result.functions;
    result.wrong += right.failed > 0;
    result.too_noisy += right.failed == 0 && !right.ok;
    result.missed += check(1.05).ok + check(0.95).ok;
  }
  MESSAGE(result.functions, " functions of ", std::string(name(dtype)), ": ", result.wrong,
          " called wrong, ", result.too_noisy, " too noisy, ", result.missed, " mistakes missed");
  return result;
}

}  // namespace

TEST_CASE(
    "gradcheck: noise is said to be float32's only where a tensor of the function is float32") {
  const Tensor x = test::leaf(from_vector(std::vector<double>{0.7, 1.3}, {2}).to(f64));
  const auto notes = [&](DType beside) {
    const auto wild = [&](const Tensors& in) {
      return Tensors{sin(1e13 * in[0]) + 0.0 * in[0].to(beside).to(f64)};
    };
    std::string all;
    for (const std::string& note : gradcheck(wild, {x}, quiet).notes) all += note + "\n";
    return all;
  };
  CHECK(notes(f64).find("is too noisy") != std::string::npos);
  CHECK(notes(f64).find("float32") == std::string::npos);
  CHECK(notes(f32).find("rounding to float32 does this") != std::string::npos);
}

TEST_CASE("gradcheck: of random functions with a float32 step the right ones pass, others fail") {
  const Found f = found(f64, test::sanitized ? 36 : 360);
  CHECK(f.too_noisy <= f.functions / 20);  // said so, as "only … could be checked"
  CHECK(f.missed == 0);
}

TEST_CASE(
    "gradcheck: with float32 inputs right derivatives are not called wrong, and others fail") {
  const Found f = found(f32, test::sanitized ? 36 : 360);
  CHECK(f.wrong == 0);
  CHECK(f.too_noisy <= 1 + f.functions / 100);
  CHECK(f.missed == 0);
}

TEST_CASE("gradcheck: strong curvature of a float32 step is not taken for a kink") {
  GradcheckOptions options = quiet;
  options.find_culprit = false;
  int64_t elements = 0, kinks = 0, wrong = 0;
  for (int seed = 0; seed < 20; ++seed) {
    manual_seed(static_cast<uint64_t>(seed));
    const double scale = 0.12;
    const Tensor x = test::leaf((rand({16}, f64) * 1.2 + 0.3) * scale);
    const TensorFunction curved = [&](const Tensors& in) {
      const Tensor u = in[0] / scale, v = sqrt(sqrt(u * u + 1.0) + 1.0).to(f32);
      return Tensors{sum(tanh(sqrt(v * v + 2.0) * 1.5f).to(f64))};
    };
    const GradcheckReport report = gradcheck(curved, {x}, options);
    elements += report.checked + report.unchecked;
    wrong += report.failed;
    for (const std::string& note : report.notes) kinks += note.find("kink") != std::string::npos;
  }
  CHECK(elements == 320);
  CHECK(kinks == 0);
  CHECK(wrong == 0);
}

TEST_CASE("gradcheck: with one element too, float32 noise may make a difference agree by chance") {
  int64_t missed = 0;
  for (int seed = 0; seed < (test::sanitized ? 30 : 300); ++seed) {
    manual_seed(static_cast<uint64_t>(seed));
    const Tensor x = test::leaf(rand({1}, f64) * 2.0 + 0.5);
    const TensorFunction f = [](const Tensors& in) {
      const Tensor x32 = in[0].to(f32), y = sqrt(x32 * x32 + 1.0).to(f64);
      return Tensors{off_by.record(contiguous_copy(y), {y}, {{"factor", 1.05}})};
    };
    GradcheckOptions options = quiet;
    options.find_culprit = options.find_smallest = false;
    missed += gradcheck(f, {x}, options).ok;
  }
  CHECK(missed == 0);
}

TEST_CASE("gradcheck: float32 that makes no noise is not worth a note") {
  manual_seed(3);
  const Tensor x = (randn({8}, f64) * 1e-9).set_requires_grad();
  const auto f = [](const Tensors& in) {
    const Tensor beside = ones({2}, f32) + 1;  // nothing depends on its values
    return Tensors{in[0] * beside.size(0)};
  };
  CHECK(gradcheck(f, {x}, quiet).notes.empty());
}

TEST_CASE("gradcheck: in float32 a difference from 1 makes stairs, which are noise, not zeros") {
  const auto function = [](double factor, bool circle) {
    return [=](const Tensors& in) {
      Tensor s = in[0] * 1.0;
      s.register_hook([factor](const Tensor& g) { return g * factor; });
      return Tensors{mean(circle ? sqrt(1.0 - s * s) : log(1.0 - sigmoid(s)))};
    };
  };
  int64_t called_wrong = 0;  // by gradcheck_fast
  for (uint64_t seed = 0; seed < 10; ++seed)
    for (const bool circle : {false, true}) {
      manual_seed(seed);
      const Tensor x =
          test::leaf((rand({12}) * (circle ? 0.1 : 10.0) + (circle ? 0.9 : 2.0)).to(f32));
      const GradcheckReport right = gradcheck(function(1, circle), {x}, quiet);
      CHECK_MESSAGE(right.failed == 0, right.text());
      for (const double factor : {1.05, 0.0})
        CHECK_FALSE(gradcheck(function(factor, circle), {x}, quiet).ok);
      const auto fast = [&](const Tensor& at) {
        return gradcheck_fast([&] { return function(1, circle)({at}); }, {{"x", at}},
                              {.raise_exception = false});
      };
      called_wrong += fast(x).failed > 0;
      if (circle) continue;
      const GradcheckReport one = fast(test::leaf(rand({1}) * 7.0 + 8.0));
      CHECK_MESSAGE(one.failed == 0, one.text());
    }
  CHECK(called_wrong <= 2);
}
