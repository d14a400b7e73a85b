// Detectors of mistakes with which a model still runs, trains and prints a loss. Each takes a
// module, or any function of yours, and returns what it found:
//
//   for (const auto& f : nn::lint::unused_parameters(model, model.loss(x, y)))
//     puts(f.text.c_str());
//
// x: ids (B, T) i64, or numbers (B, T, …); f(x): (B, T', …), the same at each call: no dropout.
// Use f64 to avoid rounding; what differs by less than tolerance(dtype) counts as equal.
#pragma once

#include <slope/nn/module/module_ref.h>

#include <functional>

namespace slope::nn::lint {

struct Finding {
  std::string detector;  // "unused-parameter"
  std::string text;      // what was seen, with its numbers
  std::string reason;    // why it is not a mistake; empty: it counts as one
};
using Findings = std::vector<Finding>;
int64_t count_unexplained(const Findings& findings);

using SequenceFunction = std::function<Tensor(const Tensor& x)>;

double tolerance(DType dtype);                        // f64: 1e-9; else 1e-4
double difference(const Tensor& a, const Tensor& b);  // max |a - b| / max(|a|, |b|); inf for nan

// ---- parameters; those that are frozen (requires_grad() is false) are passed over
// Listed, but not a leaf of the loss: never trained.
Findings unused_parameters(ModuleRef model, const Tensor& loss);
// A leaf of the loss, but listed nowhere in the model (left out of SLOPE_MODULE, or another
// model's): neither trained nor saved with it.
Findings foreign_parameters(ModuleRef model, const Tensor& loss);
// A leaf of the loss whose gradient is 0 except for rounding. Frees the graph of the loss.
Findings dead_gradients(ModuleRef model, const Tensor& loss);

// ---- what depends on what
struct Dependence {
  Tensor change;    // (T', T): relative change of output t if input s is replaced
  Tensor gradient;  // (T', T): max |dy_t / dx_s|; undefined if no table embeds x
  double rounding;  // tolerance(dtype of y)
};
Dependence dependence(const SequenceFunction& f, const Tensor& x);
// An output that depends on a later input; T' must be T.
Findings leaks(const Dependence& d);
// An input on which no output depends, or an output that depends on no input.
Findings ignored_inputs(const Dependence& d);

// ---- what must not matter
// Columns of `pad` after x do not change f(x) at x's positions.
Findings padding_influence(const SequenceFunction& f, const Tensor& x, int64_t pad);
// f(x)[0] is the same beside other rows of the batch, and alone.
Findings batch_influence(const SequenceFunction& f, const Tensor& x);
// If the first row is only padding: outputs and gradients are finite, and more padding after it
// does not change its output.
Findings masked_rows(const SequenceFunction& f, const Tensor& x, int64_t pad);

// f takes x[:, :n] for every n; finds the lengths for which it throws a ShapeError.
Findings refused_lengths(const SequenceFunction& f, const Tensor& x);

// ---- two ways to one result
// f() gives the same bits in training and in evaluation, if the model drops nothing.
Findings train_against_eval(ModuleRef model, const std::function<Tensor()>& f);
// f() leaves every module in the mode in which it was.
Findings modes_left(ModuleRef model, const std::function<void()>& f);
// The gradients that an optimizer step, step(n), leaves in the parameters' grad() do not depend on
// n, the number of micro-batches into which its examples are cut.
Findings accumulation(ModuleRef model, const std::function<void(int64_t parts)>& step,
                      int64_t parts);

// ---- text
// An einsum index that is summed although only one operand has it: "bhqk,bvhd->bqhd" sums weights
// over k and values over v.
Findings lonely_indices(const std::string& equation);

}  // namespace slope::nn::lint
