// Check cases: for every differentiable function of autograd/ops.h, inputs on which the tests and
// `slope gradcheck` check its derivatives. Each case runs in f64 over every memory layout
// (contiguous, transposed, sliced, expanded, offset), to first and second order, through formula
// and kernel, and in f32 against f64. A function without a case fails the tests. Each group has a
// file; cases.cpp collects them.
#pragma once

#include <slope/autograd/ops.h>

#include <functional>

namespace slope {

// A differentiable input: random values in [low, high] or, if `distinct`, an evenly spaced grid in
// random order; each value is at least `away` from every kink.
struct CaseInput {
  Dims shape;
  double low = -2, high = 2;
  std::vector<double> kinks = {};
  double away = 0.05;
  bool distinct = false;
};

struct Case {
  const char* name;   // the function's, or the operation's if it differs (add_scalar)
  std::string label;  // what is special about it: "dim 0", "n = 1", "empty"
  std::vector<CaseInput> inputs;
  // captures indices and masks, makes constants in x's dtype, and is deterministic
  std::function<Tensors(const Tensors& x)> f;
  enum class Kind {
    usual,
    large,   // more elements than a chunk, tile or part has: checked along directions
    points,  // ties, guards, padding: finite differences say nothing
  };
  Kind kind = Kind::usual;
  // For Kind::points: the values of each input, and the gradient of sum(y) with respect to it
  std::vector<std::vector<double>> values = {}, expected = {};
};

// For a case that draws random numbers: the same at every call. The caller's go on afterwards.
struct FixedSeed : KeepGenerator {
  explicit FixedSeed(uint64_t seed) { manual_seed(seed); }
};

// A call that must throw a slope::Error whose message contains the function's name.
struct Refusal {
  const char* name;
  std::string label;
  std::function<void()> call;
};

const std::vector<Case>& all_cases();
std::vector<Case> cases_of(const std::string& name);  // all of one function, users' included
// Adds cases of a program's own functions to the `slope gradcheck` of that program
// (tools/gradcheck_main.h).
void register_cases(const std::vector<Case>& cases);
const std::vector<Case>& registered_cases();
const std::vector<Refusal>& all_refusals();

struct Cases {
  std::vector<Case> cases;
  std::vector<Refusal> refusals;
};
// One for each file of cases in this folder; cases.cpp collects them.
Cases elementwise_cases();
Cases reduction_cases();
Cases matrix_cases();
Cases shape_cases();
Cases indexing_cases();
Cases normalisation_cases();
Cases loss_cases();
Cases attention_cases();
Cases large_cases();
Cases point_cases();

}  // namespace slope
