#include <slope/autograd/ops.h>
#include <slope/models/train/divergence.h>

#include <fmt/ranges.h>

#include <cmath>
#include <set>
#include <vector>

namespace slope::train {

namespace {

bool bad(const Tensor& x) { return x.defined() && !all(isfinite(x.detach())); }

using Names = std::set<std::string>;

// Apart from the gradient, a step multiplies the weights by 1 - lr * weight_decay: they grow if
// lr * weight_decay is above 2, or, with momentum, above 2 (1 + momentum). There is no such limit
// where the decay is added to a gradient that is then divided by its own size, as in Adam.
bool decay_alone_diverges(const TrainSettings& t, double lr) {
  const bool is_plain =
      Names{"adafactor", "adamw", "asgd", "lion", "muon", "sgd"}.contains(t.optimizer);
  const double momentum = t.optimizer == "sgd" ? t.momentum : 0;
  return is_plain && lr * t.weight_decay > 2 * (1 + momentum);
}

}  // namespace

std::string not_finite(const char* what, double value) {
  return fmt::format("the {} is {}", what, std::isnan(value) ? "nan" : "infinite");
}

std::string remedy(const TrainSettings& t, const Moment& at) {
  if (at.updates == 0 || (t.lr == 0 && t.optimizer != "rprop"))
    return t.from.empty()
               ? "no update has changed the weights: the cause is in the model or its input"
               : fmt::format(
                     "no update has changed the weights of {}: the cause is in them, in the "
                     "model, or in its input",
                     t.from);
  const double lr = at.lr > 0 ? at.lr : t.lr;
  std::vector<std::string> smaller = {fmt::format("lr than {:.3g}", lr)};
  if (t.optimizer == "rprop")  // lr is only its first step
    smaller.push_back(fmt::format("max_step_size than {:.3g}", t.max_step_size));
  const std::string growth =
      decay_alone_diverges(t, at.lr)
          ? fmt::format(
                "lr * weight_decay is {:.3g}, which makes weights grow whatever the "
                "gradient is; ",
                at.lr * t.weight_decay)
          : "";
  if (t.weight_decay > 0 && !Names{"lbfgs", "rprop"}.contains(t.optimizer))
    smaller.push_back(fmt::format("weight_decay than {:.3g}", t.weight_decay));
  if (t.momentum > 0 && Names{"rmsprop", "sgd"}.contains(t.optimizer))
    smaller.push_back(fmt::format("momentum than {:.3g}", t.momentum));
  if (t.optimizer == "asgd" && at.lr * t.lambd > 2)
    smaller.push_back(fmt::format("lambd than {:.3g}", t.lambd));
  const bool no_clipping = t.clip == 0 && t.optimizer != "lbfgs",
             no_search = t.optimizer == "lbfgs" && t.line_search_fn == "none";
  return fmt::format("{}try a smaller {}{}{}", growth, fmt::join(smaller, " or "),
                     no_clipping ? " or --clip 1" : "",
                     no_search ? " or --line-search-fn strong_wolfe" : "");
}

void refuse_not_finite(const Task& task, const TrainSettings& t, const Moment& at,
                       const std::string& what) {
  std::string first = "every parameter and gradient is finite";
  for (const NamedTensor& p : task.parameters())
    if (bad(p.tensor) || bad(p.tensor.grad())) {
      first = fmt::format("the first tensor that is not finite is {}{}",
                          bad(p.tensor) ? "" : "the gradient of ", p.name);
      break;
    }
  throw NumericError(fmt::format("step {}: {}; {}; {}", at.step, what, first, remedy(t, at)));
}

void check_weights(const Task& task, const TrainSettings& t, const Moment& at) {
  for (const NamedTensor& p : task.parameters())
    if (bad(p.tensor))
      refuse_not_finite(task, t, at, "the update left weights that are not finite");
}

}  // namespace slope::train
