// Activations, losses and normalisations of nn/functional at kinks, infinities, in the tails and
// far from zero: PyTorch's values, or the limit where PyTorch gives nan or loses digits.
#include <slope/autograd/backward.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/losses.h>
#include <slope/nn/functional/normalisation.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

using namespace slope;

namespace {

using Reals = std::vector<double>;
using EdgeFunction = std::function<Tensor(const Tensor&)>;
constexpr double infinite = INFINITY;

void check_numbers(const char* what, const Reals& got, const Reals& right) {
  CAPTURE(what);
  REQUIRE(got.size() == right.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CAPTURE(got[i]);
    CHECK((got[i] == right[i] || std::abs(got[i] - right[i]) <= 1e-5 * std::abs(right[i])));
  }
}

// y = f(x), y', y' again as a derivative with respect to g, and y''
void check_edge(const EdgeFunction& f, const Reals& at, const Reals& y, const Reals& first,
                const Reals& second) {
  const Tensor x = to(from_vector(at, {static_cast<int64_t>(at.size())}), f32).set_requires_grad();
  const Tensor values = f(x), u = ones_like(values.detach()).set_requires_grad();
  check_numbers("y", values.detach().to_vector(), y);
  const Tensor dx = grad({values}, {x}, {.grad_outputs = {u}, .create_graph = true})[0];
  check_numbers("dx", dx.detach().to_vector(), first);
  const Tensors again = grad({sum(dx)}, {x, u}, {.allow_unused = true});
  if (again[0].defined()) check_numbers("second", again[0].to_vector(), second);
  check_numbers("du", again[1].to_vector(), first);
}

}  // namespace

TEST_CASE("edges of functions: elu, selu and celu in the tail and at the kink") {
  const Reals at{-infinite, -20, 0, 2};
  const double e = std::exp(-20), c = std::exp(-8), a = 1.6732632423543773, s = 1.0507009873554805;
  check_edge([](const Tensor& x) { return nn::elu(x); }, at, {-1, std::expm1(-20), 0, 2},
             {0, e, 1, 1}, {0, e, 0, 0});
  check_edge(nn::selu, at, {-s * a, s * a * std::expm1(-20), 0, 2 * s}, {0, s * a * e, s * a, s},
             {0, s * a * e, 0, 0});
  check_edge([](const Tensor& x) { return nn::celu(x, 2.5); }, at,
             {-2.5, 2.5 * std::expm1(-8), 0, 2}, {0, c, 1, 1}, {0, c / 2.5, 0, 0});
}

TEST_CASE("edges of functions: an infinite slope below 0 leaves what is above alone") {
  const Reals at{1, infinite}, one{1, 1}, zero{0, 0};
  check_edge([](const Tensor& x) { return nn::leaky_relu(x, infinite); }, at, at, one, zero);
  check_edge([](const Tensor& x) { return nn::elu(x, infinite); }, at, at, one, zero);
  for (const double w : {infinite, double(NAN)})
    check_edge([=](const Tensor& x) { return nn::prelu(x, full({1}, w)); }, at, at, one, zero);
}

TEST_CASE("edges of functions: hardswish at infinities and bounds") {
  check_edge(nn::hardswish, {-infinite, -3, 0, 3, infinite}, {0, 0, 0, 3, infinite},
             {0, 0, 0.5, 1, 1}, {0, 0, 1.0 / 3, 0, 0});
}

TEST_CASE("edges of functions: huber and smooth l1 at infinite differences and at the kink") {
  const Reals at{-infinite, -1, -0.5, 1, 2, infinite};
  const auto huber = [](const Tensor& x) {
    return nn::huber_loss(x, zeros_like(x.detach()), {.reduction = Reduction::none});
  };
  const auto smooth = [](const Tensor& x) {
    return nn::smooth_l1_loss(x, zeros_like(x.detach()), {.reduction = Reduction::none});
  };
  for (const EdgeFunction& f : {EdgeFunction(huber), EdgeFunction(smooth)})
    check_edge(f, at, {infinite, 0.5, 0.125, 0.5, 1.5, infinite}, {-1, -1, -0.5, 1, 1, 1},
               {0, 0, 1, 0, 0, 0});
}

TEST_CASE("edges of functions: smooth l1 with a tiny beta") {
  for (const double beta : {0.0, 1e-300, 1e-46, 1e-40, 1e-30}) {
    CAPTURE(beta);
    const Tensor x = from_vector<float>({1, -1e-20f, 0}, {3}).set_requires_grad();
    const Tensor y =
        nn::smooth_l1_loss(x, zeros({3}), {.reduction = Reduction::none, .beta = beta});
    CHECK(equal(y, from_vector<float>({1, 1e-20f, 0}, {3})));
    sum(y).backward();
    CHECK(equal(x.grad(), from_vector<float>({1, -1, 0}, {3})));
  }
}

TEST_CASE("edges of functions: binary cross entropies at infinite logits and at certainty") {
  for (const auto& [x, t, y, d] : std::vector<std::array<double, 4>>{{infinite, 1, 0, 0},
                                                                     {-infinite, 0, 0, 0},
                                                                     {infinite, 0, infinite, 1},
                                                                     {-infinite, 1, infinite, -2}})
    check_edge(
        [t = t](const Tensor& logit) {
          return nn::binary_cross_entropy_with_logits(
              logit, full({1}, t), {.reduction = Reduction::none, .pos_weight = full({1}, 2.0)});
        },
        {x}, {y}, {d}, {0});
  // d/dt of the derivative with respect to x at x = t = 0, and the other way round
  const Tensor x = zeros({1}).set_requires_grad(), t = zeros({1}).set_requires_grad();
  const Tensors first = grad({sum(nn::binary_cross_entropy(x, t))}, {x, t}, {.create_graph = true});
  const Tensors second = grad({sum(first[0]) + sum(first[1])}, {x, t});
  for (const Tensor& s : second) CHECK(all(isfinite(s)));
}

TEST_CASE("edges of functions: weighted losses of ignored targets alone are nan and constant") {
  const Tensor w = tensor({1.0f, 2.0f, 3.0f});
  for (const auto& [rows, target] :
       std::vector<std::pair<int64_t, Tensor>>{{2, full({2}, -100, i64)}, {0, zeros({0}, i64)}})
    for (const bool of_logits : {true, false}) {
      const Reals zero(static_cast<size_t>(rows) * 3, 0);
      const Tensor x = full({rows, 3}, 0.5).set_requires_grad(), g = ones({}).set_requires_grad();
      const Tensor loss = (of_logits ? nn::cross_entropy : nn::nll_loss)(x, target, w, {});
      CHECK(std::isnan(loss.item()));
      const Tensor dx = grad({loss}, {x}, {.grad_outputs = {g}, .create_graph = true})[0];
      CHECK(dx.detach().to_vector() == zero);
      CHECK(grad({sum(dx)}, {g})[0].item() == 0);
    }
}

TEST_CASE("edges of functions: batch_norm is right far from zero, to second order") {
  for (const auto& [at, eps] :
       std::vector<std::pair<Reals, double>>{{{1e20, -1e20, 2e20}, 1e-5},
                                             {{1e8, 1e8 + 8, 1e8 + 32}, 1e-5},
                                             {{1000.1, 1000.1, 1000.1}, 1e-5},
                                             {{3, 3, 3}, 1e-26},
                                             {{1e-20, 2e-20, 4e-20}, 1e-26}}) {
    const Tensor x = to(from_vector(at, {3}), f32).set_requires_grad(),
                 wide = to(x.detach(), f64).set_requires_grad(), h = tensor({1.0f, -2.0f, 3.0f});
    const auto columns = [eps = eps](const Tensor& x) {  // the same column in two layouts
      const Tensor y = nn::batch_norm(x.reshape({3, 1}), {.training = true}, {}, {}, eps),
                   z = nn::batch_norm(x.reshape({1, 1, 3}), {.training = true}, {}, {}, eps);
      return std::pair(y.reshape({3}), z.reshape({3}));
    };
    const auto derivatives = [&h](const Tensor& y, const Tensor& x) {
      const Tensor g = to(h, x.dtype());
      const Tensor dx = grad({sum(y * g)}, {x}, {.create_graph = true})[0];
      return std::pair(dx.detach(), grad({sum(dx * g)}, {x})[0]);
    };
    const Tensor right = columns(wide).first;
    const auto [right_dx, right_ddx] = derivatives(right, wide);
    const auto [y, z] = columns(x);
    for (const Tensor& got : {y, z}) {
      check_numbers("y", got.detach().to_vector(), right.detach().to_vector());
      const auto [dx, ddx] = derivatives(got, x);
      check_numbers("dx", dx.to_vector(), right_dx.to_vector());
      for (const double v : (ddx - to(right_ddx, f32)).to_vector())
        CHECK(std::abs(v) <= 1e-5 * slope::norm(right_ddx).item() + 1e-37);
    }
  }
}

TEST_CASE("pdist: with p = inf, tied elements get the whole gradient each, as in PyTorch") {
  const Tensor x = tensor({{1.0f, -2.0f, 0.0f}, {0.0f, -1.0f, 1.0f}, {0.0f, 0.0f, 0.0f}});
  const Tensor leaf = x.detach().set_requires_grad();
  const Tensor y = nn::pdist(leaf, infinite);
  CHECK(y.to_vector() == Reals{1, 2, 1});
  CHECK(grad({sum(y)}, {leaf})[0].to_vector() == Reals{1, -2, -1, -1, 0, 2, 0, 2, -1});
}
