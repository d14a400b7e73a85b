// Activations and losses of nn/functional at kinks, infinities and in the tails: PyTorch's values,
// or the limit where PyTorch gives nan.
#include <slope/autograd/backward.h>
#include <slope/nn/functional/activations.h>
#include <slope/nn/functional/losses.h>

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

TEST_CASE("pdist: with p = inf, tied elements get the whole gradient each, as in PyTorch") {
  const Tensor x = tensor({{1.0f, -2.0f, 0.0f}, {0.0f, -1.0f, 1.0f}, {0.0f, 0.0f, 0.0f}});
  const Tensor leaf = x.detach().set_requires_grad();
  const Tensor y = nn::pdist(leaf, infinite);
  CHECK(y.to_vector() == Reals{1, 2, 1});
  CHECK(grad({sum(y)}, {leaf})[0].to_vector() == Reals{1, -2, -1, -1, 0, 2, 0, 2, -1});
}
