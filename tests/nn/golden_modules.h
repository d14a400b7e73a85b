// Functions and modules against PyTorch, values and gradients, in f64 and f32, contiguous and not
// (tests/golden/modules.py says what the cases are).
#pragma once

#include <doctest/doctest.h>
#include <slope/autograd/backward.h>
#include <slope/nn/nn.h>
#include <slope/tests/golden_cases.h>
#include <slope/tests/parity.h>

#include <functional>
#include <memory>

namespace slope::test {

using namespace slope::nn;

using X = const Tensors&;
using A = const Args&;

inline Reduction reduction(A a) {
  const std::string word = a.word("reduction", "mean");
  return word == "none" ? Reduction::none : word == "sum" ? Reduction::sum : Reduction::mean;
}
// The input that PyTorch takes by this name. Such inputs come last, in the order of the argument
// `with`.
inline Tensor named(X x, A a, const std::string& name) {
  std::istringstream names(a.word("with"));
  std::vector<std::string> all;
  for (std::string item; std::getline(names, item, '+');) all.push_back(item);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] == name) return x[x.size() - all.size() + i];
  return {};
}
using Function = Tensor (*)(X x, A a);
// A module and how to call it, whatever its type.
struct Made {
  std::shared_ptr<const void> owner;
  ModuleRef ref;
  std::function<Tensor(X)> call;
};
template <class M>
Made made(M module) {
  const auto owner = std::make_shared<M>(std::move(module));
  eval(*owner);
  return {owner, *owner, [owner](X x) -> Tensor {
            if constexpr (requires { owner->forward(x[0], x[1], x[2]); })
              if (x.size() == 3) return (*owner)(x[0], x[1], x[2]);
            if constexpr (requires { owner->forward(x[0], x[1]); })
              if (x.size() == 2) return (*owner)(x[0], x[1]);
            if constexpr (requires { owner->forward(x[0]); }) return (*owner)(x[0]);
            throw UsageError("a module is not called with so many tensors");
          }};
}
inline std::optional<double> given(A a, const char* key) {
  return a.has(key) ? std::optional(a.number(key)) : std::nullopt;
}

using Make = Made (*)(A a);

struct Tolerance {
  double relative, absolute;
};
// How the two differ by more than the tolerance, which is relative to the element or, where sums
// cancel, to the largest; "" if they do not.
inline std::string mismatch(const Tensor& ours, const Tensor& theirs, Tolerance t) {
  if (!ours.defined()) return "there is none";
  if (ours.dtype() != theirs.dtype() || ours.shape() != theirs.shape())
    return fmt::format("{} {} instead of {} {}", name(ours.dtype()), ours.shape(),
                       name(theirs.dtype()), theirs.shape());
  const std::vector<double> a = ours.to_vector(), b = theirs.to_vector();
  double largest = 0;
  for (const double x : b)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  for (size_t i = 0; i < a.size(); ++i) {
    const double size = std::max(std::abs(b[i]), std::min(largest, 1.0));
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])) &&
        !(std::abs(a[i] - b[i]) <= t.relative * size + t.absolute))
      return fmt::format("element {} is {:.17g} instead of {:.17g}", i, a[i], b[i]);
  }
  return "";
}

// The same values with other strides: every second element of a larger tensor.
inline Tensor spread(const Tensor& x) {
  if (x.rank() == 0) return x.clone();
  const int64_t last = x.rank() - 1;
  return repeat_interleave(x, 2, last).slice(last, 0, 2 * x.size(last), 2);
}

using Functions = std::map<std::string, Function>;
using Layers = std::map<std::string, Make>;
inline void check_module_case(const GoldenCase& c, const GoldenTensors& golden, DType dtype,
                              bool contiguous, const Functions& functions, const Layers& layers,
                              Tolerance allowed) {
  const auto check = [&](const std::string& what, const Tensor& ours) {
    const Tensor theirs = golden.at(c.name + "/" + what);
    const std::string wrong = mismatch(ours, theirs, allowed);
    if (wrong.empty()) record_parity(c.op, dtype, relative_error(ours, theirs, allowed.absolute));
    CHECK_MESSAGE(wrong.empty(), fmt::format("{} {}{}, {}: {}", c.name, name(dtype),
                                             contiguous ? "" : ", spread", what, wrong));
  };
  std::optional<Made> module;
  if (layers.contains(c.op)) {
    module = layers.at(c.op)(c.args);
    to(module->ref, dtype);
    load(module->ref, golden.under(c.name + "/parameter/"));
  }
  Tensors x;
  for (Tensor input;
       (input = golden.find(fmt::format("{}/input{}", c.name, x.size()))).defined();) {
    x.push_back(contiguous ? input.detach() : spread(input).detach());
    if (golden.find(fmt::format("{}/grad{}", c.name, x.size() - 1)).defined())
      x.back().set_requires_grad();
  }
  const Tensor y = module ? module->call(x) : functions.at(c.op)(x, c.args);
  check("output0", y);
  const Tensor g = golden.find(c.name + "/cotangent0");
  if (!g.defined()) return;
  y.backward(g);
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k].requires_grad())
      check(fmt::format("grad{}", k), x[k].grad().defined() ? x[k].grad() : zeros_like(x[k]));
  if (!module) return;
  for (const auto& [key, p] : named_parameters(module->ref)) check("gradient/" + key, p.grad());
  if (golden.under(c.name + "/after/").empty()) return;
  for (const auto& [key, value] : state_entries(module->ref)) check("after/" + key, value);
}

using ToleranceOf = Tolerance (*)(const std::string& name, DType dtype);
inline void check_module_cases(const std::string& file, DType dtype, const Functions& functions,
                               const Layers& layers, ToleranceOf tolerance) {
  const GoldenTensors golden(file + (dtype == f64 ? "_f64" : "_f32") + ".safetensors");
  for (const GoldenCase& c : read_cases(golden_text(file + ".txt")))
    for (const bool contiguous : {true, false}) try {
        check_module_case(c, golden, dtype, contiguous, functions, layers,
                          tolerance(c.name, dtype));
      } catch (const std::exception& e) {
        FAIL_CHECK(fmt::format("{} {}: {}", c.name, name(dtype), e.what()));
      }
}

// Checks the printed text of each case's module; returns the number of cases of each function and
// module.
inline std::map<std::string, int> check_printed_modules(const std::string& name,
                                                        const Layers& layers) {
  std::map<std::string, int> count;
  const TensorFile file = parse_safetensors(golden_text(name + "_f64.safetensors"));
  for (const GoldenCase& c : read_cases(golden_text(name + ".txt"))) {
    ++count[c.op];
    if (layers.contains(c.op))
      CHECK(nn::to_string(layers.at(c.op)(c.args).ref) == file.metadata.at(c.name));
  }
  return count;
}

// Every function and module has at least so many cases; the printed texts are PyTorch's.
inline void check_case_counts(const std::string& file, const Functions& functions,
                              const Layers& layers, int least_of_layers) {
  const auto count = check_printed_modules(file, layers);
  for (const auto& [name, f] : functions) CHECK_MESSAGE(count.at(name) >= 4, name);
  for (const auto& [name, make] : layers) CHECK_MESSAGE(count.at(name) >= least_of_layers, name);
}

}  // namespace slope::test
