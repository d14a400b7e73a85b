#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/culprit/alone.h>
#include <slope/autograd/gradcheck/culprit/contiguous.h>
#include <slope/autograd/gradcheck/culprit/overwrite.h>
#include <slope/autograd/gradcheck/numeric/cotangent.h>
#include <slope/autograd/gradcheck/numeric/differences.h>
#include <slope/autograd/gradcheck/numeric/noise.h>
#include <slope/autograd/gradcheck/numeric/overlap.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace slope {

namespace {

double rounded(double value, DType dtype) {
  return visit(dtype, [&]<class T> { return static_cast<double>(static_cast<T>(value)); });
}

class Alone {
 public:
  Alone(const std::function<Tensors()>& f, const Evaluation& at, size_t call,
        const AloneOptions& options)
      : f_(f), at_(at), call_(call), made_(at.calls.list[call]), options_(options) {
    for (size_t k = 0; k < made_.outputs.size(); ++k) {
      const Tensor& y = made_.outputs[k];
      cotangents_.emplace_back();
      if (!is_computed_in(y.dtype()) || !y.requires_grad()) continue;
      const Tensor u = random_cotangent(y.shape(), y.dtype(), options.options.seed + 5, k);
      // differences say nothing about an output that is not finite
      cotangents_.back() = masked_fill(u, !isfinite(y.detach()), 0);
    }
    for (const Tensor& x : made_.inputs)
      values_.push_back(x.defined() ? contiguous_copy(x.detach()) : x);
  }

  void check(GradcheckCulprit& culprit) const {
    if (std::none_of(cotangents_.begin(), cotangents_.end(),
                     [](const Tensor& u) { return u.defined(); }))
      return;  // all outputs are bf16
    const Tensors analytic = contributions(cotangents_);
    for (size_t i = 0; i < made_.inputs.size(); ++i) {
      const Tensor& x = made_.inputs[i];
      if (!x.defined() || !made_.node->inputs[i] || overlaps_itself(x) || is_repeated(i) ||
          (is_leaf(x) && shares_memory(i)))
        continue;
      const auto from = made_before(x);
      if (!from ? !is_leaf(x) : from->is_view) continue;
      check_input(i, from, analytic, culprit);
    }
  }

 private:
  bool is_leaf(const Tensor& x) const {
    return std::any_of(options_.leaves.begin(), options_.leaves.end(),
                       [&](const NamedTensor& leaf) { return leaf.tensor.is_same(x); });
  }
  // A leaf was made by no call; source_of() would find views of it, by their memory.
  std::optional<Source> made_before(const Tensor& x) const {
    return is_leaf(x) ? std::nullopt : source_of(at_, call_, x);
  }
  bool shares_memory(size_t i) const {  // with another input, which would move too
    for (size_t j = 0; j < made_.inputs.size(); ++j) {
      const Tensor& x = made_.inputs[j];
      if (j != i && x.defined() && !x.is_same(made_.inputs[i]) &&
          x.storage() == made_.inputs[i].storage())
        return true;
    }
    return false;
  }
  bool is_repeated(size_t i) const {  // an earlier input is the same tensor
    for (size_t j = 0; j < i; ++j)
      if (made_.inputs[j].defined() && made_.inputs[j].is_same(made_.inputs[i])) return true;
    return false;
  }

  // What the rule gives for each input, from these gradients of the outputs.
  Tensors contributions(const Tensors& given) const {
    Tensors reached, gradients, wanted;
    for (size_t k = 0; k < given.size(); ++k)
      if (given[k].defined()) {
        reached.push_back(made_.outputs[k]);
        gradients.push_back(contiguous_copy(given[k]));  // a rule may write into it
      }
    for (const Tensor& x : made_.inputs)
      if (x.defined() && x.requires_grad()) wanted.push_back(x);
    WatchFlow flow;
    const Observe observe(flow);
    (void)grad(reached, wanted,
               {.grad_outputs = gradients,
                .retain_graph = true,
                .create_graph = options_.options.formula,
                .allow_unused = true});
    return flow.nodes[made_.node].contributed;
  }

  bool has_gradient(size_t i, const Tensors& contributed) const {
    for (size_t j = i; j < made_.inputs.size(); ++j)
      if (contributed[j].defined() && made_.inputs[j].is_same(made_.inputs[i])) return true;
    return false;
  }
  // Input i's part of what the rule contributed; one tensor may be several inputs.
  std::vector<double> gradient_of(size_t i, const Tensors& contributed) const {
    std::vector<double> g(static_cast<size_t>(values_[i].numel()));
    for (size_t j = i; j < made_.inputs.size(); ++j)
      if (contributed[j].defined() && made_.inputs[j].is_same(made_.inputs[i])) {
        const std::vector<double> part = contributed[j].to_vector();
        for (size_t e = 0; e < g.size(); ++e) g[e] += part[e];
      }
    return g;
  }

  // The elements of the outputs with one element of input i moved; empty if the function then does
  // not reach the call. `step`: how far it should move; on return, how far its dtype let it move.
  std::vector<std::vector<double>> outputs_moved(size_t i, const std::optional<Source>& from,
                                                 int64_t element, double& step) const {
    std::optional<Poke> poke;  // restored after what was overwritten, maybe in the same memory
    Overwrite overwrite(at_, call_);
    for (size_t j = 0; j < made_.inputs.size(); ++j) {
      const Tensor& x = made_.inputs[j];
      if (j == i || !x.defined() || x.is_same(made_.inputs[i])) continue;
      if (const auto source = made_before(x))
        overwrite.pins.push_back(
            {*source, at_.calls.list[source->call].outputs[source->output].detach().to_vector()});
    }
    std::vector<double> moved = values_[i].to_vector();
    double& x = moved[static_cast<size_t>(element)];
    const double to = x + step;
    step = rounded(to, made_.inputs[i].dtype()) - x;
    x += step;
    if (from)
      overwrite.pins.push_back({*from, moved});
    else
      poke.emplace(made_.inputs[i], moved);
    try {
      const Observe observe(overwrite);
      (void)f_();
    } catch (const Reached&) {
    }
    number_moves_ |= overwrite.number_moves;
    std::vector<std::vector<double>> result;
    for (size_t k = 0; k < overwrite.outputs.size(); ++k)
      result.push_back(cotangents_[k].defined() ? overwrite.outputs[k].detach().to_vector()
                                                : std::vector<double>());
    return result;
  }
  LossAt loss(size_t i, const std::optional<Source>& from, int64_t element, double step) const {
    const std::vector<std::vector<double>> outputs = outputs_moved(i, from, element, step);
    if (outputs.empty()) return {.step = step, .value = NAN};
    LossAt at{.step = step};
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (!cotangents_[k].defined()) continue;
      const std::vector<double> u = cotangents_[k].to_vector();
      for (size_t e = 0; e < u.size(); ++e) {
        if (u[e] == 0) continue;
        const double term = u[e] * outputs[k][e];
        at.value += term;
        at.scale += std::abs(term);
        if (made_.outputs[k].dtype() == f32) at.rounding += std::abs(term) * f32_rounding / 2;
      }
    }
    return at;
  }

  void check_input(size_t i, const std::optional<Source>& from, const Tensors& analytic,
                   GradcheckCulprit& culprit) const {
    const std::vector<double> g = gradient_of(i, analytic), x = values_[i].to_vector();
    const Tolerance tolerance{options_.options.atol, options_.options.rtol};
    GradcheckCulprit::Input result = evidence_of(i);
    result.returns_nothing = !has_gradient(i, analytic);
    const bool has_y = made_.outputs[0].shape() == values_[i].shape() && cotangents_[0].defined();
    const std::vector<double> y = has_y ? made_.outputs[0].detach().to_vector() : x,
                              u = has_y ? cotangents_[0].to_vector() : x;
    const int64_t n = values_[i].numel(), stride = 1 + (n - 1) / most_elements();
    for (int64_t e = 0; e < n; e += stride) {
      const auto at = static_cast<size_t>(e);
      if (!std::isfinite(x[at])) continue;  // it cannot be moved
      const Losses losses = [&](double step) { return loss(i, from, e, step); };
      const double eps = options_.options.eps;
      const LossAt above = losses(eps), below = losses(-eps);
      if (number_moves_) break;
      Derivative d{.value = (above.value - below.value) / (above.step - below.step)};
      if (!tolerance.agree(g[at], d.value)) d = differentiate(losses, x[at], eps, tolerance, g[at]);
      if (d.kind != Derivative::Kind::smooth || !d.is_known(tolerance)) continue;
      ++result.checked;
      result.elements.push_back(e);
      result.x.push_back(x[at]);
      result.analytic.push_back(g[at]);
      result.numeric.push_back(d.value);
      result.error = std::max(result.error, d.error);
      if (has_y) {
        result.y.push_back(y[at]);
        result.g.push_back(u[at]);
      }
      if (d.agrees(g[at], tolerance)) continue;
      ++result.failed;
      culprit.failures.push_back({.op = made_.op->name,
                                  .input = fmt::format("input {}", i),
                                  .input_index = result.index,
                                  .element = e,
                                  .analytic = g[at],
                                  .numeric = d.value});
    }
    if (number_moves_) {  // item() took a number from this input: differences include its effect
      std::erase_if(culprit.failures,
                    [&](const GradcheckFailure& f) { return f.input_index == result.index; });
      number_moves_ = false;
      return;
    }
    if (result.failed > 0) add_jacobians(i, from, result);
    if (result.failed > 0 && !is_used_again(i))
      result.only_strided = agrees_if_contiguous(i, result);
    if (result.checked > 0) culprit.inputs.push_back(result);
  }

  bool is_used_again(size_t i) const {  // as another input: the rule's parts are added
    return std::count_if(made_.inputs.begin(), made_.inputs.end(), [&](const Tensor& x) {
             return x.defined() && x.is_same(made_.inputs[i]);
           }) > 1;
  }
  bool agrees_if_contiguous(size_t i, const GradcheckCulprit::Input& found) const {
    const Tensors contributed =
        contributions_if_contiguous(made_, cotangents_, options_.options.formula);
    if (contributed.empty() || !contributed[i].defined()) return false;
    const std::vector<double> g = contributed[i].detach().to_vector();
    const Tolerance tolerance{options_.options.atol, options_.options.rtol};
    for (size_t e = 0; e < found.elements.size(); ++e)
      if (!tolerance.agree(g[static_cast<size_t>(found.elements[e])], found.numeric[e]))
        return false;
    return true;
  }

  // The derivative of each output element with respect to each checked input element, if there are
  // few.
  void add_jacobians(size_t i, const std::optional<Source>& from,
                     GradcheckCulprit::Input& result) const {
    int64_t rows = 0;
    for (const Tensor& u : cotangents_) rows += u.defined() ? u.numel() : 0;
    if (std::max(rows, values_[i].numel()) > most_elements() || result.x.empty()) return;
    const size_t columns = result.elements.size();
    for (size_t k = 0; k < cotangents_.size(); ++k)
      for (int64_t o = 0; cotangents_[k].defined() && o < cotangents_[k].numel(); ++o) {
        std::vector<double> one(static_cast<size_t>(cotangents_[k].numel()));
        one[static_cast<size_t>(o)] = 1;
        Tensors given(cotangents_.size());
        given[k] = to(from_vector(one, cotangents_[k].shape()), cotangents_[k].dtype());
        const std::vector<double> g = gradient_of(i, contributions(given));
        for (const int64_t e : result.elements) result.by_rule.push_back(g[static_cast<size_t>(e)]);
      }
    result.by_differences.resize(static_cast<size_t>(rows) * columns);
    for (size_t c = 0; c < columns; ++c) {
      double up = options_.options.eps, down = -up;
      const auto above = outputs_moved(i, from, result.elements[c], up),
                 below = outputs_moved(i, from, result.elements[c], down);
      if (above.empty() || below.empty()) {
        result.by_rule.clear();
        result.by_differences.clear();
        return;
      }
      size_t row = 0;
      for (size_t k = 0; k < above.size(); ++k)
        for (size_t o = 0; o < above[k].size(); ++o) {
          const double slope = (above[k][o] - below[k][o]) / (up - down);
          result.by_differences[row++ * columns + c] = std::isfinite(slope) ? slope : 0;
        }
    }
  }

  GradcheckCulprit::Input evidence_of(size_t i) const {
    GradcheckCulprit::Input result{.index = static_cast<int64_t>(i), .shape = values_[i].shape()};
    result.output_shape = made_.outputs[0].shape();
    for (const Attribute& a : made_.node->attributes) {
      if (const auto* number = std::get_if<double>(&a.value))
        result.numbers.emplace_back(a.name, *number);
      if (const auto* whole = std::get_if<int64_t>(&a.value))
        result.numbers.emplace_back(a.name, static_cast<double>(*whole));
    }
    const auto add_sizes = [&](const Tensor& x) {
      if (x.defined())
        for (const int64_t size : x.shape()) result.other_sizes.push_back(size);
    };
    for (size_t j = 0; j < made_.inputs.size(); ++j)
      if (j != i) add_sizes(made_.inputs[j]);
    for (const Tensor& y : made_.outputs) add_sizes(y);
    return result;
  }

  // The cost of an evaluation up to the call is estimated by the elements that it writes.
  int64_t most_elements() const {
    constexpr int64_t most_written = 20'000'000;
    int64_t written = 1000;
    for (size_t n = 0; n <= call_; ++n)
      for (const Tensor& y : at_.calls.list[n].outputs) written += y.numel();
    return std::clamp<int64_t>(most_written / written, 4, options_.most_elements);
  }

  const std::function<Tensors()>& f_;
  const Evaluation& at_;
  const size_t call_;
  const Call& made_;
  const AloneOptions& options_;
  Tensors cotangents_, values_;
  mutable bool number_moves_ = false;  // an argument that is no tensor moved with the input
};

}  // namespace

void check_alone(const std::function<Tensors()>& f, const Evaluation& at, size_t call,
                 const AloneOptions& options, GradcheckCulprit& culprit) {
  Alone(f, at, call, options).check(culprit);
}

}  // namespace slope
