// Every operation against PyTorch: values and gradients, in f64 and f32 (tests/golden/ops.py
// describes the cases).
#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/tests/parity.h>

#include <cmath>
#include <set>

#include "golden_ops.h"

using namespace slope;
using namespace slope::test;

namespace {

struct Tolerance {
  double relative, absolute;
};

// Where right answers differ by more than rounding, and why.
Tolerance tolerance(const GoldenCase& c, DType dtype) {
  struct Wide {
    double f64, f32;
  };
  static const std::map<std::string, Wide> wide = {
      // PyTorch returns x itself above 20; slope adds log(1 + e^-x)
      {"softplus.extreme", {1e-9, 2e-6}},
      // x - mean = 0; PyTorch's is a rounding error times 1 / sqrt(eps) = 316
      {"layer_norm.one", {1e-12, 1e-4}},
      {"layer_norm.offset", {1e-12, 1e-5}},  // 1000 … 1004: the last digit of the mean is 6e-5
      // y = 1000.7 has lost digits, which PyTorch's exp(x - y) turns into a factor
      {"logsumexp.extreme", {1e-12, 1e-4}},
      {"tanh.extreme", {1e-12, 1e-7}},  // 1 - y^2 for y next to 1, whose last digit is 6e-8
  };
  const double usual = dtype == f64 ? 1e-12 : 2e-6;
  if (const auto at = wide.find(c.name); at != wide.end()) {
    const double w = dtype == f64 ? at->second.f64 : at->second.f32;
    return {std::max(usual, w), w};
  }
  return {usual, 0};
}

// What slope does not promise.
const std::set<std::string> refused = {
    "norm.all_0.0", "norm.zero_0.0"};  // p = 0 counts, which has no derivative: norm takes p > 0

std::string mismatch(const Tensor& ours, const Tensor& theirs, Tolerance tolerance, bool tiny,
                     bool limits) {
  if (!ours.defined()) return "there is none";
  if (ours.dtype() != theirs.dtype())
    return fmt::format("{} instead of {}", name(ours.dtype()), name(theirs.dtype()));
  if (ours.shape() != theirs.shape())
    return fmt::format("shape {} instead of {}", ours.shape(), theirs.shape());
  const std::vector<double> a = ours.to_vector(), b = theirs.to_vector();
  double largest = 0, atol = tolerance.absolute;
  for (const double x : b)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  if (!tiny && is_floating(ours.dtype()))
    atol = std::max(atol, tolerance.relative * std::min(largest, 1.0));  // sums cancel
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(b[i]) && (limits || std::isnan(a[i])));
    if (!same && !(std::isfinite(a[i]) &&
                   std::abs(a[i] - b[i]) <= tolerance.relative * std::abs(b[i]) + atol))
      return fmt::format("element {} is {:.17g} instead of {:.17g}", i, a[i], b[i]);
  }
  return "";
}

struct Run {
  Tensors inputs, outputs;
};

Run forward(const GoldenCase& c, const GoldenTensors& golden) {
  Run run;
  for (int k = 0;; ++k) {
    Tensor x = golden.find(fmt::format("{}/input{}", c.name, k));
    if (!x.defined()) break;
    x = x.detach();  // the file's tensors are shared by all runs
    if (is_floating(x.dtype())) x.set_requires_grad();
    run.inputs.push_back(x);
  }
  run.outputs = golden_ops().at(c.op)(run.inputs, c.args);
  return run;
}

void check_case(const GoldenCase& c, const GoldenTensors& golden, DType dtype) {
  const Tolerance allowed = tolerance(c, dtype);
  const bool tiny = c.name.ends_with(".tiny");  // there every digit of a small number counts
  // PyTorch's gradient is nan where the limit is finite; edges_test.cpp has the limits
  const bool limits = c.name == "logsumexp.all_minus_inf" || c.name == "logsumexp.plus_inf";
  const auto check = [&](const std::string& what, const Tensor& ours, const Tensor& theirs) {
    const std::string wrong = mismatch(ours, theirs, allowed, tiny, limits);
    if (wrong.empty()) record_parity(c.op, dtype, relative_error(ours, theirs, allowed.absolute));
    CHECK_MESSAGE(wrong.empty(), fmt::format("{} {}, {}: {}", c.name, name(dtype), what, wrong));
  };
  const auto [inputs, outputs] = forward(c, golden);
  Tensors differentiated, cotangents, wanted;
  for (size_t k = 0; k < outputs.size(); ++k) {
    check(fmt::format("output{}", k), outputs[k], golden.at(fmt::format("{}/output{}", c.name, k)));
    const Tensor g = golden.find(fmt::format("{}/cotangent{}", c.name, k));
    if (g.defined()) differentiated.push_back(outputs[k]), cotangents.push_back(g);
  }
  CHECK_MESSAGE(!golden.find(fmt::format("{}/output{}", c.name, outputs.size())).defined(),
                c.name << ": PyTorch has more outputs");
  if (differentiated.empty()) return;
  for (const Tensor& x : inputs)
    if (x.requires_grad()) wanted.push_back(x);
  const Tensors grads =
      grad(differentiated, wanted, {.grad_outputs = cotangents, .allow_unused = true});
  for (size_t k = 0, at = 0; k < inputs.size(); ++k) {
    if (!inputs[k].requires_grad()) continue;
    const Tensor ours = grads[at++];
    check(fmt::format("grad{}", k), ours.defined() ? ours : zeros_like(inputs[k]),
          golden.at(fmt::format("{}/grad{}", c.name, k)));
  }
}

void check_all(DType dtype) {
  const GoldenTensors golden(dtype == f64 ? "ops_f64.safetensors" : "ops_f32.safetensors");
  for (const GoldenCase& c : golden_cases()) {
    if (!golden_ops().contains(c.op)) continue;  // reported by the first test
    if (refused.contains(c.name)) {
      CHECK_THROWS_AS(forward(c, golden), Error);
      continue;
    }
    try {
      check_case(c, golden, dtype);
    } catch (const std::exception& e) {
      FAIL_CHECK(fmt::format("{} {}: {}", c.name, name(dtype), e.what()));
    }
  }
}

}  // namespace

TEST_CASE(
    "golden operations: each of PyTorch's cases has an operation here, and each name in the table "
    "a case") {
  std::set<std::string> used;
  const std::vector<GoldenCase> cases = golden_cases();
  CHECK(cases.size() > 400);
  for (const GoldenCase& c : cases) {
    used.insert(c.op);
    CHECK_MESSAGE(golden_ops().contains(c.op), c.name << ": no entry for " << c.op);
  }
  for (const auto& entry : golden_ops())
    CHECK_MESSAGE(used.contains(entry.first), "no case for " << entry.first);
}

TEST_CASE("golden operations: values and gradients are PyTorch's in f64") { check_all(f64); }
TEST_CASE("golden operations: values and gradients are PyTorch's in f32") { check_all(f32); }
