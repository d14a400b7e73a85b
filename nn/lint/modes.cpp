// train against eval: f() with nn::train(model) = f() with nn::eval(model), to the bit
// modes left:         the mode of each module before f() = after
#include <slope/core/tensor/random.h>
#include <slope/nn/lint/lint.h>
#include <slope/nn/module/state.h>

namespace slope::nn::lint {

namespace {

struct Modes {
  std::vector<std::pair<std::string, ModuleRef>> modules;
  std::vector<bool> training;
  explicit Modes(ModuleRef model) : modules(named_modules(model)) {
    for (const auto& [name, module] : modules) training.push_back(is_training(module));
  }
  static bool is_training(const ModuleRef& m) { return m.state() && m.state()->training; }
  void restore() const {
    for (size_t i = 0; i < modules.size(); ++i)
      if (const ModuleState* state = modules[i].second.state()) state->training = training[i];
  }
};

}  // namespace

Findings train_against_eval(ModuleRef model, const std::function<Tensor()>& f) {
  const Modes before(model);
  const Generator numbers = generator();
  train(model);
  const Tensor trained = f();
  eval(model);
  generator() = numbers;
  const Tensor evaluated = f();
  before.restore();
  if (trained.shape() != evaluated.shape())
    return {{"train-eval",
             fmt::format("the result is {} in training and {} in evaluation", trained.shape(),
                         evaluated.shape()),
             ""}};
  const double d = difference(trained.detach(), evaluated.detach());
  if (d == 0) return {};
  return {{"train-eval",
           fmt::format("training and evaluation differ by {:.2g} of the largest value, though "
                       "nothing should be dropped",
                       d),
           ""}};
}

Findings modes_left(ModuleRef model, const std::function<void()>& f) {
  const Modes before(model);
  f();
  Findings found;
  for (size_t i = 0; i < before.modules.size(); ++i) {
    const auto& [name, module] = before.modules[i];
    if (Modes::is_training(module) == before.training[i]) continue;
    found.push_back(
        {"mode",
         fmt::format("{} was in {} before and is in {} after", name.empty() ? "the model" : name,
                     before.training[i] ? "training" : "evaluation",
                     before.training[i] ? "evaluation" : "training"),
         ""});
  }
  before.restore();
  return found;
}

}  // namespace slope::nn::lint
