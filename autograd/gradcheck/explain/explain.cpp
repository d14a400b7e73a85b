#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/gradcheck/explain/explain.h>
#include <slope/autograd/gradcheck/explain/expression.h>
#include <slope/autograd/gradcheck/numeric/nudge.h>
#include <slope/autograd/node.h>
#include <slope/core/memory/scarce.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace slope {

namespace {

constexpr int64_t most_elements = 64;

bool agree(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) {
           return std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
         });
}

std::string numbers(const std::vector<double>& v) {
  constexpr size_t shown = 6;
  const std::vector<double> first(v.begin(),
                                  v.begin() + static_cast<int64_t>(std::min(v.size(), shown)));
  return fmt::format("[{:.5g}{}]", fmt::join(first, ", "), v.size() > shown ? ", …" : "");
}

struct Called {
  Tensors leaves;
  TensorFunction f;
  Evaluation at;
  const Call& call() const { return at.calls.list[0]; }
};

// The smallest case of more than one element in which the operation is the only call.
std::optional<Called> smallest_call(const Op& op) {
  std::optional<Called> best;
  int64_t size = most_elements + 1;
  for (const Case& c : cases_of(op.name)) {
    int64_t n = 0;
    for (const CaseInput& in : c.inputs) n += numel(in.shape);
    if (c.kind != Case::Kind::usual || n < 2 || n >= size) continue;
    Called called{.leaves = {}, .f = c.f, .at = {}};
    for (size_t i = 0; i < c.inputs.size(); ++i)
      called.leaves.push_back(lay_out(c.inputs[i], InputLayout::contiguous, f64, 100 + i).leaf);
    called.at = evaluate([&] { return c.f(called.leaves); });
    if (called.at.calls.list.size() != 1 || called.call().op != &op ||
        called.leaves[0].numel() < 2 || called.at.outputs[0].numel() == 0)
      continue;
    // A derivative that is 0, like that of the softmax of one element, explains nothing.
    const std::vector<double> dx = grad({sum(called.at.outputs[0] * called.at.outputs[0])},
                                        {called.leaves[0]}, {.retain_graph = true})[0]
                                       .to_vector();
    const bool is_zero =
        std::all_of(dx.begin(), dx.end(), [](double v) { return std::abs(v) < 1e-9; });
    if (is_zero && best) continue;
    best = std::move(called);
    size = n;
  }
  return best;
}

bool is_over(const Dims& dims, int64_t dim, int64_t rank) {
  return dims.empty() || std::find(dims.begin(), dims.end(), dim) != dims.end() ||
         std::find(dims.begin(), dims.end(), dim - rank) != dims.end();
}

// The call's numbers by name, its dims, and n, the number of elements that these dims span.
Variables variables_of(const Called& called) {
  Variables v;
  const Tensor& x = called.leaves[0];
  for (const Attribute& a : called.call().node->attributes) {
    const std::string name = a.name;
    if (const auto* number = std::get_if<double>(&a.value))
      v.values[name] = full({}, *number, f64);
    else if (const auto* integer = std::get_if<int64_t>(&a.value); integer && name == "dim")
      v.dims = {*integer};
    else if (const auto* dims = std::get_if<Dims>(&a.value); dims && name == "dims")
      v.dims = *dims;
  }
  int64_t n = 1;
  for (int64_t d = 0; d < x.rank(); ++d)
    if (is_over(v.dims, d, x.rank())) n *= x.size(d);
  v.values["n"] = full({}, static_cast<double>(n), f64);
  return v;
}

// y and g in a shape that broadcasts to x's, as if the dims had been kept.
Tensor kept(const Tensor& y, const Tensor& x, const Dims& dims) {
  if (y.rank() == x.rank()) return y;
  Dims shape = x.shape();
  for (size_t d = 0; d < shape.size(); ++d)
    if (is_over(dims, static_cast<int64_t>(d), x.rank())) shape[d] = 1;
  return numel(shape) == y.numel() ? y.reshape(shape) : y;
}

}  // namespace

bool Explanation::Line::is_held() const {
  return agree(rule, differences, 1e-6) && (written.empty() || agree(written, rule, 1e-9));
}
bool Explanation::is_written() const {
  return std::none_of(lines.begin(), lines.end(), [](const Line& l) { return l.written.empty(); });
}
bool Explanation::is_held() const {
  return std::all_of(lines.begin(), lines.end(), [](const Line& l) { return l.is_held(); });
}

std::string Explanation::text() const {
  std::string text = fmt::format("{}  {}\n  {}\n  {}\n", name, signature, forward, derivative);
  if (!domain.empty()) text += fmt::format("  for {}\n", domain);
  text += fmt::format("  {}\n", inputs);
  for (const Line& line : lines) {
    if (line.written.empty())
      text += fmt::format("  {:<3} as written      not evaluated: in words or with indices\n",
                          line.name);
    else
      text += fmt::format("  {:<3} as written      {} = {}\n", line.name, line.formula,
                          numbers(line.written));
    text +=
        fmt::format("      by the rule     {}\n      by differences  {}{}\n", numbers(line.rule),
                    numbers(line.differences), line.is_held() ? "" : "  THEY DIFFER");
  }
  return text;
}

Explanation explain(const std::string& name) {
  const Op* op = find_op(name);
  SLOPE_CHECK_AS(UsageError, op,
                 "gradcheck: {} is not an operation with its own rule; --explain "
                 "shows the derivatives of such operations",
                 name);
  const std::optional<Called> found = smallest_call(*op);
  SLOPE_CHECK_AS(UsageError, found,
                 "gradcheck: no small case of {} is a single call, so --explain has no example",
                 name);
  const Called& call = *found;
  const Definition& d = op->definition;
  Explanation result{.name = name,
                     .signature = op->signature,
                     .forward = d.forward,
                     .derivative = d.derivative,
                     .domain = d.domain,
                     .inputs = "",
                     .lines = {}};
  const Tensor& y = call.at.outputs[0];
  std::vector<double> weights(static_cast<size_t>(y.numel()));
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = 1 - 0.375 * static_cast<double>(i % 5);
  const Tensor g = from_vector(weights, y.shape());
  const Tensors rule = grad({y}, call.leaves, {.grad_outputs = {g}, .allow_unused = true});

  // the inputs' letters, in the order in which the definition names their derivatives
  std::vector<std::string> letters;
  if (call.leaves.size() == 1) letters = {"x"};
  if (call.leaves.size() == 2)
    letters = right_side(d.derivative, "da").empty() ? std::vector<std::string>{"x", "t"}
                                                     : std::vector<std::string>{"a", "b"};
  Variables variables = variables_of(call);
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const std::string letter = i < letters.size() ? letters[i] : fmt::format("input {}", i);
    variables.values[letter] = call.leaves[i].detach();
    result.inputs += fmt::format("{} = {}, ", letter, numbers(call.leaves[i].to_vector()));
  }
  variables.values["y"] = kept(y.detach(), call.leaves[0], variables.dims);
  variables.values["g"] = kept(g, call.leaves[0], variables.dims);
  result.inputs += fmt::format("g = {}, y = {}", numbers(weights), numbers(y.detach().to_vector()));

  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const Tensor& x = call.leaves[i];
    Explanation::Line line{.name = "d" + (i < letters.size() ? letters[i] : std::to_string(i))};
    line.rule = rule[i].defined() ? rule[i].to_vector()
                                  : std::vector<double>(static_cast<size_t>(x.numel()));
    for (int64_t e = 0; e < x.numel(); ++e) {
      const Nudge nudge(x, e);
      const auto loss = [&](double& step) {
        step = nudge.move(step);
        const std::vector<double> at = call.f(call.leaves)[0].detach().to_vector();
        double sum = 0;
        for (size_t k = 0; k < at.size(); ++k) sum += weights[k] * at[k];
        return sum;
      };
      double up = 1e-5, down = -1e-5;
      const double above = loss(up), below = loss(down);
      line.differences.push_back((above - below) / (up - down));
    }
    line.formula = right_side(d.derivative, line.name);
    try {
      if (line.formula.empty()) throw Unreadable("no text");
      const Tensor written = evaluate_text(line.formula, d.forward, variables);
      line.written = (written.numel() < x.numel() ? contiguous(expand(written, x.shape()))
                                                  : sum_to(written, x.shape()))
                         .to_vector();
    } catch (const Error&) {
      rethrow_if_scarce();
      line.written.clear();
    }
    result.lines.push_back(line);
  }
  return result;
}

}  // namespace slope
