// Gradients through the composite form of a fused operation, and through a checkpointed function:
// run it again, recorded, and go back.
#include <slope/autograd/engine/pass.h>
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/graph/walk.h>
#include <slope/autograd/ops.h>
#include <slope/core/tensor/random.h>

namespace slope {

namespace {

// Gradients of `outputs` for those of `inputs` that want one, in their places.
Grads gradients_of(const Tensors& outputs, const Tensors& inputs, const Saved& s) {
  Tensors reached, flowing, wanted;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (s.grad(static_cast<int>(i)).defined() && outputs[i].requires_grad()) {
      reached.push_back(outputs[i]);
      flowing.push_back(s.grad(static_cast<int>(i)));
    }
  for (const Tensor& x : inputs)
    if (x.defined() && x.requires_grad()) wanted.push_back(x);
  const Tensors found = reached.empty() ? Tensors(wanted.size())
                                        : grad_within(reached, wanted,
                                                      {.grad_outputs = flowing,
                                                       .retain_graph = s.connected(),
                                                       .create_graph = s.connected(),
                                                       .allow_unused = true});
  Grads grads;
  size_t next = 0;
  for (const Tensor& x : inputs)
    grads.push_back(x.defined() && x.requires_grad() ? found[next++] : Tensor());
  return grads;
}

}  // namespace

Grads gradients_through_reference(const Op& op, const Saved& s) {
  SLOPE_CHECK_AS(AutogradError, op.reference, "{}: has neither a formula nor a reference", op.name);
  const EnableGrad enable_grad;
  const Saved rooted = s.rooted();
  Tensors inputs;
  for (int i = 0; i < s.inputs(); ++i) inputs.push_back(s.needs(i) ? rooted.input(i) : Tensor());
  return gradients_of(op.reference(rooted), inputs, s);
}

namespace {

using Function = std::function<Tensor(const Tensors&)>;
struct Recipe {
  Function f;
  Generator generator;  // as it stood before f ran
  size_t inputs;        // explicit ones; leaves that f reached follow
};

const Op checkpoint_op{
    .name = "checkpoint",
    .signature = "(*)... -> (*)",
    .saves = saves_inputs,
    .formula = [](const Saved& s, const Tensor&) {
      const Recipe& recipe = s.object<Recipe>("recipe");
      const Generator now = generator();
      struct Restore {
        Generator value;
        ~Restore() { generator() = value; }
      } restore{now};
      generator() = recipe.generator;
      const EnableGrad enable_grad;
      const Saved rooted = s.rooted();
      Tensors roots;
      for (int i = 0; i < s.inputs(); ++i)
        roots.push_back(static_cast<size_t>(i) < recipe.inputs ? rooted.input(i) : s.leaf(i));
      const Tensors explicit_inputs(roots.begin(),
                                    roots.begin() + static_cast<int64_t>(recipe.inputs));
      return gradients_of({recipe.f(explicit_inputs)}, roots, s);
    }};

}  // namespace

Tensor checkpoint(const Function& f, const Tensors& inputs) {
  if (!grad_enabled()) return f(inputs);
  auto recipe = std::make_shared<Recipe>(Recipe{f, generator(), inputs.size()});
  Tensors all = inputs;
  Tensor y;
  {
    // Recorded once to learn which leaves f uses, then dropped: the peak is that of f alone, as in
    // the second run.
    Tensors roots;
    for (const Tensor& x : inputs)
      roots.push_back(x.defined() && x.requires_grad() ? x.detach().set_requires_grad() : x);
    const Tensor recorded = f(roots);
    if (!recorded.requires_grad()) return recorded;
    for (const Tensor& leaf : leaves_of({recorded}))
      if (std::none_of(roots.begin(), roots.end(),
                       [&](const Tensor& root) { return root.is_same(leaf); }))
        all.push_back(leaf);
    y = recorded.detach();
  }
  return checkpoint_op.record(Tensors{y}, all, {{"recipe", std::shared_ptr<void>(recipe)}})[0];
}

}  // namespace slope
