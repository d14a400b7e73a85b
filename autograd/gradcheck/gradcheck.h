// gradcheck: are the derivatives right? Compares backward with central differences, element by
// element, in f64.
//
// A random cotangent turns each output y_k into a number: L_k = <u_k, y_k>. (A plain sum would be
// blind if rows of y sum to a constant, as in softmax and layer norm.) For every element x_i of
// every input:
//   numeric = (L_k(x_i + eps) - L_k(x_i - eps)) / (2 eps)
// If that does not agree with backward, the step is chosen from the function's noise and curvature
// (differences.h) before anything counts as wrong.
// Bends of f are seen down to a width of 1e-9 where f computes in float64, of 0.01 where it
// computes in float32; what is narrower looks like another function. Arguments and tolerances are
// those of torch.autograd.gradcheck.
#pragma once

#include <slope/core/tensor/named_tensor.h>

#include <functional>
#include <string>

namespace slope {

struct GradcheckOptions {
  double eps = 1e-6, atol = 1e-5, rtol = 1e-3;  // |analytic - numeric| <= atol + rtol |numeric|
  // Throw AutogradError with the report's text on failure, whether derivatives disagree or the
  // function or a rule throws; false: no exception but UsageError, for a wrong call of the check
  bool raise_exception = true;
  bool formula = false;        // differentiate through formulas (create_graph), not kernels
  bool find_culprit = true;    // on failure: which operation is to blame
  bool find_callers = true;    // and which functions called it, if the platform has backtraces
  bool find_smallest = true;   // and the smallest inputs that still fail, as a program
  uint64_t seed = 0;           // of the cotangents, and of the sample
  int64_t sample = 0;          // number of elements of each leaf, drawn by seed; 0: all
  int64_t most_failures = 20;  // listed in the report; all are counted
  // largest share of an input's derivatives that may be impossible to check (kinks, jumps, noise,
  // the edge of a domain); more is a failure
  double most_unchecked = 0.5;
  bool allow_nothing = false;  // ok if the inputs have no elements: otherwise that is a failure
};

struct GradcheckFailure {
  std::string op;     // the operation that made the output: "softmax"
  std::string input;  // "input 1", or the parameter's name
  int64_t input_index = 0, output_index = 0, element = 0;
  double analytic = 0, numeric = 0;
  double ratio() const { return analytic / numeric; }
};

// The result for one leaf, over all outputs.
struct GradcheckLeaf {
  std::string name;
  int64_t elements = 0;  // derivatives with respect to it
  int64_t failed = 0, unchecked = 0;
  bool is_cut = false;              // the tape does not reach it
  double low = 0, high = 0;         // smallest and largest ratio among its failures
  int64_t output = 0;               // of the first failure
  std::vector<int64_t> wrong = {};  // elements that failed there: the first few
  void add_failure(int64_t at_output, double ratio);
  std::string text() const;  // "k_proj.weight 64 of 64 wrong, ratio 0.5"
};

// The operation to blame: checked alone at the same values, its derivative disagrees, so nothing
// before or after it is the cause. How it is found: culprit/defects.h.
struct GradcheckCulprit {
  struct Input {
    int64_t index = 0;
    int64_t checked = 0, failed = 0;  // elements, with this call alone
    bool only_strided = false;        // the rule is right for contiguous copies of the inputs
    bool returns_nothing = false;     // the rule returns no gradient for it
    Dims shape = {};
    // For each checked element: its index, value, and derivative by the rule and by differences;
    // the output y and its gradient g there, if they have the input's shape
    std::vector<int64_t> elements = {};
    std::vector<double> x = {}, analytic = {}, numeric = {}, y = {}, g = {};
    double error = 0;  // of `numeric`, the largest estimate
    // the call's arguments that are not tensors ("p", 0.5), and the sizes of its other tensors
    std::vector<std::pair<std::string, double>> numbers = {};
    std::vector<int64_t> other_sizes = {};
    Dims output_shape = {};  // of the first output
    // the Jacobian, a row for each output element and a column for each checked one, if it is small
    std::vector<double> by_rule = {}, by_differences = {};
  };
  std::string op, place;  // "mul", "mul in module encoder.layers.0"
  int64_t calls = 1;      // wrong calls of this operation
  // The rule is right, but the tape is cut at one of the call's inputs: it changes with the leaves,
  // yet requires no gradient. cut_input is its index; -1: it is a number, named by cut_number, that
  // was read from a tensor with item().
  bool is_cut = false;
  int64_t cut_input = 0;
  std::string cut_number = "";
  std::vector<Input> inputs = {};
  std::vector<GradcheckFailure> failures = {};  // of this call alone
  std::string called_from = "";                 // functions or source lines, innermost first
  std::string text() const;
};

struct GradcheckReport {
  bool ok = true;
  int64_t checked = 0;  // pairs of (output, input element)
  int64_t failed = 0;
  int64_t unchecked = 0;      // pairs whose derivative by differences is not known
  bool by_direction = false;  // fast mode: directions instead of elements
  std::vector<GradcheckFailure> failures;
  // reasons why the check is invalid or a gradient malformed, and what the function or a rule
  // threw; each is a failure
  std::vector<std::string> problems;
  std::vector<std::string> notes;  // kinks and noise, counted; coarse dtypes
  std::vector<GradcheckLeaf> leaves;
  std::vector<GradcheckCulprit> culprits;  // largest error first
  // the smallest inputs that fail, with cotangents and options, as the arguments that follow
  // `function` in a call of `check`
  std::string smallest = {};
  std::string function = "f", check = "gradcheck";
  // Adds the problem that nothing was checked, if that is so and nothing else is wrong.
  void refuse_nothing();
  std::string text() const;  // one line if ok, else leaves, culprits, and a line per failure
};

using TensorFunction = std::function<Tensors(const Tensors& inputs)>;

// Checks the inputs that require a gradient; the others are constants. f must be deterministic, and
// so must the rules: one that keeps state is found by what it does in its first seven calls
// (analytic.h). A value that it keeps from its very first call shows only if it is checked again
// with other inputs.
GradcheckReport gradcheck(const TensorFunction& f, const Tensors& inputs,
                          const GradcheckOptions& options = {});

// The same for second derivatives: checks x, u -> d<u, f(x)> / dx with respect to x and u. u is
// random if grad_outputs is empty. Fails too if the passes through the formulas, which this
// differentiates, have a problem that gradcheck reports, or do not give the gradient of the
// kernels.
GradcheckReport gradgradcheck(const TensorFunction& f, const Tensors& inputs,
                              const Tensors& grad_outputs = {},
                              const GradcheckOptions& options = {});

// For modules: f reads the named leaves itself, for example those of named_parameters(model).
GradcheckReport gradcheck(const std::function<Tensors()>& f, const NamedTensors& leaves,
                          const GradcheckOptions& options = {});

}  // namespace slope
