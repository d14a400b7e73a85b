#include <slope/autograd/checkpoint.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/ops.h>
#include <slope/core/module_mode.h>
#include <slope/core/tensor/random.h>

#include <algorithm>

namespace slope {

namespace {

using Function = std::function<Tensor(const Tensors&)>;
struct Recipe {
  Function f;
  Generator generator;  // its state before f ran
  size_t inputs;        // number of explicit inputs; in the node the leaves follow them
  int evaluates;        // ModuleMode's
  ModuleMode::Answers answers = {};
};

// Sets the thread's ModuleMode for a second run.
class RunsAgain {
 public:
  explicit RunsAgain(int evaluates) : before_(module_mode) {
    module_mode.evaluates = evaluates;
    module_mode.runs_again = true;
  }
  ~RunsAgain() { module_mode = before_; }
  RunsAgain(const RunsAgain&) = delete;
  RunsAgain& operator=(const RunsAgain&) = delete;

 private:
  const ModuleMode before_;
};

// g: the gradient of what f gave when it ran first
Tensor run_again(const Recipe& recipe, const Tensors& inputs, const Tensor& g) {
  const ModuleMode::Answers before = module_mode.answers;
  Tensor y = recipe.f(inputs);
  SLOPE_CHECK_AS(AutogradError, module_mode.answers - before == recipe.answers,
                 "checkpoint: a module that the function calls was switched between training and "
                 "evaluation before backward; switch it after backward, or use EvalMode");
  SLOPE_CHECK_AS(
      AutogradError, y.defined() && y.shape() == g.shape() && y.dtype() == g.dtype(),
      "checkpoint: the function gave {} {} at first, but {} in its second run, in "
      "backward: it must give the same both times",
      name(g.dtype()), g.shape(),
      y.defined() ? fmt::format("{} {}", name(y.dtype()), y.shape()) : "an undefined tensor");
  return y;
}

Grads formula(const Saved& s, const Tensor& g) {
  const Recipe& recipe = s.object<Recipe>("recipe");
  const KeepGenerator keep;
  generator() = recipe.generator;
  const RunsAgain mode(recipe.evaluates);
  const EnableGrad enable_grad;
  const Saved detached = s.detached_inputs();
  Tensors roots, explicit_inputs;
  for (int i = 0; i < s.inputs(); ++i) {
    const bool is_explicit = static_cast<size_t>(i) < recipe.inputs;
    roots.push_back(is_explicit ? detached.input(i) : s.leaf(i));
    if (is_explicit) explicit_inputs.push_back(roots.back());
  }
  return s.gradients_of({run_again(recipe, explicit_inputs, g)}, roots);
}

const Op checkpoint_op{
    .name = "checkpoint",
    .signature = "(*)... -> (*)",
    .definition = {.forward = "y = f(x1, x2, …)", .derivative = "dx = that of f, which runs again"},
    .saves = saves_inputs,
    .formula = formula};

// A graph that f captures is not made again by its second run, whose backward would then go
// through the graph of the caller. The newest node made before f ran is such a captured tensor.
void check_captures(const Tensor& recorded, uint64_t before) {
  const std::vector<Node*> nodes = nodes_of({recorded});
  const auto captured = std::find_if(nodes.rbegin(), nodes.rend(),
                                     [&](const Node* node) { return node->sequence <= before; });
  SLOPE_CHECK_AS(UsageError, captured == nodes.rend(),
                 "checkpoint: the function captures a tensor that was computed before, by {}, of "
                 "shape {}; give it as an input, or capture its detach()",
                 (*captured)->op->name, (*captured)->outputs[0].shape);
}

}  // namespace

Tensor checkpoint(const Function& f, const Tensors& inputs) {
  if (!grad_enabled()) return f(inputs);
  auto recipe =
      std::make_shared<Recipe>(Recipe{f, generator(), inputs.size(), module_mode.evaluates});
  Tensors all = inputs;
  Tensor y;
  {
    // Record f once to learn which leaves it uses, then drop the graph. The whole graph is in
    // memory only until then, and again in the second run.
    Tensors roots;
    for (const Tensor& x : inputs)
      roots.push_back(x.defined() && x.requires_grad() ? x.detach().set_requires_grad() : x);
    const uint64_t before = newest_sequence();
    const ModuleMode::Answers answers = module_mode.answers;
    const Tensor recorded = f(roots);
    recipe->answers = module_mode.answers - answers;
    if (!recorded.requires_grad()) return recorded;
    check_captures(recorded, before);
    for (const Tensor& leaf : leaves_of({recorded}))
      if (std::none_of(roots.begin(), roots.end(),
                       [&](const Tensor& root) { return root.is_same(leaf); }))
        all.push_back(leaf);
    y = recorded.detach();
  }
  return checkpoint_op.record(Tensors{y}, all, {{"recipe", std::shared_ptr<void>(recipe)}})[0];
}

}  // namespace slope
