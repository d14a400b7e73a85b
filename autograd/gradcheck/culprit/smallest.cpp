#include <slope/autograd/gradcheck/culprit/smallest.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace slope {

namespace {

constexpr int most_checks = 60;
constexpr int64_t most_elements = 4000;  // of the inputs at first
constexpr int64_t most_printed = 48;

int64_t elements(const Tensors& inputs) {
  int64_t n = 0;
  for (const Tensor& x : inputs) n += x.numel();
  return n;
}

Tensor like(const Tensor& x, const Tensor& values) {
  const Tensor y = contiguous_copy(values.detach());
  return x.requires_grad() ? y.set_requires_grad() : y;
}

// All dims of this size become `to`: they probably are the same letter of the function's shapes.
Tensors resized(const Tensors& inputs, int64_t size, int64_t to) {
  Tensors result;
  for (const Tensor& x : inputs) {
    Tensor y = x.detach();
    for (int64_t d = 0; d < y.rank(); ++d)
      if (x.size(d) == size) y = y.narrow(d, 0, to);
    result.push_back(like(x, y));
  }
  return result;
}

// Without the first dim, where that has size 1.
Tensors of_lower_rank(const Tensors& inputs) {
  Tensors result;
  for (const Tensor& x : inputs)
    result.push_back(x.rank() > 0 && x.size(0) == 1 ? like(x, x.detach().squeeze(0)) : x);
  return result;
}

const char* constant_of(DType dtype) {
  switch (dtype) {
    case f32: return "f32";
    case f64: return "f64";
    case bf16: return "bf16";
    case i64: return "i64";
    case boolean: return "boolean";
  }
  return "";
}

std::string text_of(double v) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v > 0 ? "INFINITY" : "-INFINITY";
  return v == 0 && std::signbit(v) ? "-0.0" : fmt::format("{}", v);  // -0 would be an integer's 0
}

std::string text_of(const Tensor& x) {
  std::vector<std::string> numbers;
  for (const double v : x.detach().to_vector()) numbers.push_back(text_of(v));
  std::string text = fmt::format("from_vector<double>({{{}}}, {{{}}})", fmt::join(numbers, ", "),
                                 fmt::join(x.shape(), ", "));
  if (x.dtype() != f64) text = fmt::format("to({}, {})", text, constant_of(x.dtype()));
  return x.requires_grad() ? text + ".set_requires_grad()" : text;
}

std::string list_of(const Tensors& tensors) {
  std::vector<std::string> texts;
  for (const Tensor& x : tensors) texts.push_back(text_of(x));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

// ", {.formula = true}": the options that are not the defaults.
std::string text_of(const GradcheckOptions& options) {
  std::vector<std::string> given;
  const GradcheckOptions usual;
  const auto add = [&](const char* name, auto value, auto otherwise) {
    if (value != otherwise) given.push_back(fmt::format(".{} = {}", name, value));
  };
  add("eps", options.eps, usual.eps);
  add("atol", options.atol, usual.atol);
  add("rtol", options.rtol, usual.rtol);
  add("formula", options.formula, usual.formula);
  add("seed", options.seed, usual.seed);
  return given.empty() ? "" : fmt::format(", {{{}}}", fmt::join(given, ", "));
}

}  // namespace

std::string smallest_failing(const TensorFunction& f, const Tensors& inputs, size_t cotangents,
                             const GradcheckOptions& options) {
  if (elements(inputs) > most_elements) return "";
  GradcheckOptions quiet = options;
  quiet.raise_exception = quiet.find_culprit = quiet.find_callers = quiet.find_smallest = false;
  quiet.most_failures = 1;
  int checks = 0;
  const auto fails = [&](const Tensors& x) {
    if (++checks > most_checks) return false;
    const GradcheckReport report = gradcheck(f, x, quiet);
    return report.failed > 0 && report.problems.empty();  // a problem: it refuses such shapes
  };
  Tensors smallest;
  for (const Tensor& x : inputs) smallest.push_back(x.requires_grad() ? like(x, x) : x);
  const auto shrink = [&] {
    std::set<int64_t, std::greater<>> sizes;
    for (const Tensor& x : smallest)
      for (const int64_t size : x.shape())
        if (size > 1) sizes.insert(size);
    for (const int64_t size : sizes)
      for (const int64_t to : std::set<int64_t>{1, 2, 3, size / 2, size - 1}) {
        if (to < 1 || to >= size) continue;
        const Tensors x = resized(smallest, size, to);
        if (fails(x)) {
          smallest = x;
          return true;
        }
      }
    const Tensors flat = of_lower_rank(smallest);
    if (std::equal(flat.begin(), flat.end(), smallest.begin(),
                   [](const Tensor& a, const Tensor& b) { return a.rank() == b.rank(); }) ||
        !fails(flat))
      return false;
    smallest = flat;
    return true;
  };
  while (shrink()) {
  }
  if (elements(smallest) > most_printed) return "";
  const auto first = smallest.end() - static_cast<std::ptrdiff_t>(cotangents);
  return list_of({smallest.begin(), first}) +
         (cotangents > 0 ? ", " + list_of({first, smallest.end()}) : "") + text_of(options);
}

}  // namespace slope
