// What must not change the outputs of f: padding after the input, the other examples of a batch,
// and, for an example that is padding alone, its length.
#include <slope/autograd/backward.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/ops.h>
#include <slope/nn/lint/lint.h>

#include <algorithm>

namespace slope::nn::lint {

namespace {

Tensor padded(const Tensor& x, int64_t columns, int64_t pad) {
  return cat({x, full({x.size(0), columns}, static_cast<double>(pad), i64)}, 1);
}
// The difference() of y and y0 at the positions that both have.
double apart(const Tensor& y, const Tensor& y0) {
  const int64_t T = std::min(y.size(1), y0.size(1));
  return difference(y.detach().narrow(1, 0, T), y0.detach().narrow(1, 0, T));
}

}  // namespace

// f([x, pad, pad]) = f(x), at the positions of x.
Findings padding_influence(const SequenceFunction& f, const Tensor& x, int64_t pad) {
  const Tensor y = f(x);
  const double d = apart(f(padded(x, 2, pad)), y);
  if (d <= tolerance(y.dtype())) return {};
  return {{"padding",
           fmt::format("two columns of padding after the input move the outputs by {:.2g} of the "
                       "largest",
                       d),
           ""}};
}

// The first example's output is the same beside the given examples, beside others, and alone.
Findings batch_influence(const SequenceFunction& f, const Tensor& x) {
  SLOPE_CHECK_SHAPE(x.size(0) >= 2, "lint: batch_influence needs two rows, got {}", x.shape());
  const Tensor first = x.narrow(0, 0, 1), others = x.narrow(0, 1, x.size(0) - 1);
  const Tensor y = f(x).narrow(0, 0, 1);
  const double beside = apart(f(cat({first, flip(others, {1})})).narrow(0, 0, 1), y),
               alone = apart(f(first), y);
  if (std::max(beside, alone) <= tolerance(y.dtype())) return {};
  return {{"batch",
           fmt::format("the first example's output moves by {:.2g} of the largest beside other "
                       "examples, and by {:.2g} alone",
                       beside, alone),
           ""}};
}

// f accepts the first n positions of x, for every n.
Findings refused_lengths(const SequenceFunction& f, const Tensor& x) {
  std::vector<int64_t> refused;
  std::string error;
  for (int64_t n = 1; n <= x.size(1); ++n) try {
      static_cast<void>(f(x.narrow(1, 0, n)));
    } catch (const ShapeError& e) {
      refused.push_back(n);
      if (error.empty()) error = e.what();
    }
  if (refused.empty()) return {};
  return {{"lengths",
           fmt::format("{} of the lengths 1 to {} are refused; {}: {}", refused.size(), x.size(1),
                       refused[0], error),
           ""}};
}

// If the first example is padding alone, outputs and gradients are finite, and two more columns of
// padding do not change its output.
Findings masked_rows(const SequenceFunction& f, const Tensor& x, int64_t pad) {
  const Tensor nothing = full({1, x.size(1)}, static_cast<double>(pad), i64),
               given = cat({nothing, x.narrow(0, 1, x.size(0) - 1)});
  const Tensor y = f(given);
  Findings found;
  const auto add = [&](const std::string& text) { found.push_back({"masked-rows", text, ""}); };
  if (!all(isfinite(y))) add("an example of padding alone has an output that is not finite");
  const Tensors leaves = leaves_of({y});
  int64_t bad = 0;
  for (const Tensor& g : grad({sum(y * randn(y.shape(), y.dtype()))}, leaves))
    bad += !all(isfinite(g));
  if (bad > 0)
    add(
        fmt::format("one example of padding alone makes the gradients of {} of {} parameters not "
                    "finite",
                    bad, leaves.size()));
  if (found.empty()) {
    const double d = apart(f(padded(given, 2, pad)).narrow(0, 0, 1), y.narrow(0, 0, 1));
    if (d > tolerance(y.dtype()))
      add(
          fmt::format("an example of padding alone attends to its padding: two more columns move "
                      "its output by {:.2g} of the largest",
                      d));
  }
  return found;
}

}  // namespace slope::nn::lint
