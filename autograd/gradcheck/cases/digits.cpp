#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/cases/digits.h>
#include <slope/autograd/ops.h>

#include <cmath>

namespace slope {

namespace {

constexpr double part = 0x1p-28;  // each value moves by this part of itself

Tensors moved(const Tensors& x) {
  Tensors result;
  for (const Tensor& t : x)
    result.push_back(t.defined() ? (t.detach() * (1 + part)).set_requires_grad(t.requires_grad())
                                 : t);
  return result;
}

Tensors gradients(const Tensors& outputs, const Tensors& leaves, const Tensors& u) {
  Tensors reached, given;
  for (size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k].requires_grad()) {
      reached.push_back(outputs[k]);
      given.push_back(u[k]);
    }
  return grad(reached, leaves, {.grad_outputs = given, .retain_graph = true, .allow_unused = true});
}

// <a, b> and the sum of |a b|
std::pair<double, double> product(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.detach().to_vector(), y = b.detach().to_vector();
  std::pair<double, double> result{0, 0};
  for (size_t i = 0; i < x.size(); ++i) {
    result.first += x[i] * y[i];
    result.second += std::abs(x[i] * y[i]);
  }
  return result;
}

}  // namespace

GradcheckReport keeps_digits(const TensorFunction& f, const Tensors& leaves, const Tensors& u) {
  GradcheckReport report;
  const Tensors y = f(leaves), beside = f(moved(leaves));
  const Tensors g = gradients(y, leaves, u), more = gradients(y, leaves, moved(u));
  double change = 0, expected = 0, size = 0, noise = 0, of_u = 0;
  for (size_t k = 0; k < y.size(); ++k) {
    if (!y[k].requires_grad()) continue;
    const auto [after, scale] = product(u[k], beside[k]);
    change += after - product(u[k], y[k]).first;
    noise += 1e-14 * scale;
    of_u += product(u[k], u[k]).first;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!g[i].defined()) continue;
    const auto [sum, scale] = product(g[i], leaves[i]);
    expected += part * sum;
    size += part * scale;
  }
  report.checked = 2;
  const auto fail = [&](const char* what, std::string input, double analytic, double numeric) {
    ++report.failed;
    report.failures.push_back(
        {.op = what, .input = std::move(input), .analytic = analytic, .numeric = numeric});
  };
  if (std::isfinite(change) && std::abs(change - expected) > 0.1 * size + noise)
    fail("the function, for inputs that move by 2^-28 of themselves", "all inputs", expected,
         change);
  for (size_t i = 0; i < leaves.size() && report.failed == 0; ++i) {
    if (!g[i].defined()) continue;
    const auto [sum, scale] = product(g[i], g[i]);
    if (sum < 1e-10 * of_u) continue;  // a gradient that cancels to 0 is nothing but rounding
    const double after = product(g[i], more[i]).first - sum;
    if (std::isfinite(after) && std::abs(after - part * sum) > 0.1 * part * scale + 1e-14 * scale)
      fail("the rules, for a gradient that moves by 2^-28 of itself", fmt::format("input {}", i),
           after, part * sum);
  }
  report.ok = report.failed == 0;
  return report;
}

}  // namespace slope
