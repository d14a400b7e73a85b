#include <slope/core/error.h>
#include <slope/models/train/optimizers.h>
#include <slope/optim/classic/adadelta.h>
#include <slope/optim/classic/adamax.h>
#include <slope/optim/classic/asgd.h>
#include <slope/optim/classic/rprop.h>
#include <slope/optim/elementwise/adagrad.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/lion.h>
#include <slope/optim/elementwise/nadam.h>
#include <slope/optim/elementwise/radam.h>
#include <slope/optim/elementwise/rmsprop.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/optim/whole/adafactor.h>
#include <slope/optim/whole/muon.h>

namespace slope::train {

namespace {

std::set<std::string> names_of(const NamedTensors& parameters) {
  std::set<std::string> names;
  for (const NamedTensor& p : parameters) names.insert(p.name);
  return names;
}

// Weight decay applies to tensors of two or more dims: matrices and tables, not biases and norms.
// lr is 1, because Updater sets the rate of each step as a factor of it.
template <class Optimizer, class Options>
OptimizerOf with_groups(const NamedTensors& parameters, Options options) {
  options.lr = 1;
  optim::Group<Options> decayed{{}, options}, rest{{}, options};
  rest.options.weight_decay = 0;
  for (const auto& [name, p] : parameters)
    (p.rank() >= 2 ? decayed : rest).parameters.push_back({name, p});
  return {std::make_unique<Optimizer>(optim::Groups<Options>{decayed, rest}), names_of(parameters)};
}

OptimizerOf adamw(const NamedTensors& parameters, const TrainSettings& t) {
  return with_groups<optim::AdamW>(parameters, optim::AdamWOptions{.betas = {t.beta1, t.beta2},
                                                                   .eps = t.adam_eps,
                                                                   .weight_decay = t.weight_decay,
                                                                   .amsgrad = t.amsgrad});
}

Optimizers muon_and_adamw(const NamedTensors& parameters, const TrainSettings& t) {
  NamedTensors matrices, rest;
  for (const NamedTensor& p : parameters) (p.tensor.rank() == 2 ? matrices : rest).push_back(p);
  using AdjustLr = optim::MuonOptions::AdjustLr;
  Optimizers all;
  all.push_back(with_groups<optim::Muon>(
      matrices,
      optim::MuonOptions{.weight_decay = t.weight_decay,
                         .momentum = t.muon_momentum,
                         .adjust_lr = t.muon_adjust_lr == "original" ? AdjustLr::original
                                                                     : AdjustLr::match_rms_adamw}));
  all.push_back(adamw(rest, t));
  return all;
}

OptimizerOf make_optimizer(const NamedTensors& ps, const TrainSettings& t) {
  const std::array<double, 2> betas = {t.beta1, t.beta2};
  const double eps = t.adam_eps, decay = t.weight_decay;
  if (t.optimizer == "adamw") return adamw(ps, t);
  if (t.optimizer == "sgd")
    return with_groups<optim::SGD>(
        ps,
        optim::SgdOptions{.momentum = t.momentum, .weight_decay = decay, .nesterov = t.nesterov});
  if (t.optimizer == "nadam")
    return with_groups<optim::NAdam>(
        ps,
        optim::NadamOptions{
            .betas = betas, .eps = eps, .weight_decay = decay, .momentum_decay = t.momentum_decay});
  if (t.optimizer == "radam")
    return with_groups<optim::RAdam>(
        ps, optim::RadamOptions{.betas = betas, .eps = eps, .weight_decay = decay});
  if (t.optimizer == "adagrad")
    return with_groups<optim::Adagrad>(
        ps, optim::AdagradOptions{.lr_decay = t.lr_decay,
                                  .weight_decay = decay,
                                  .initial_accumulator_value = t.initial_accumulator_value});
  if (t.optimizer == "rmsprop")
    return with_groups<optim::RMSprop>(ps, optim::RmspropOptions{.alpha = t.alpha,
                                                                 .weight_decay = decay,
                                                                 .momentum = t.momentum,
                                                                 .centered = t.centered});
  if (t.optimizer == "lion")
    return with_groups<optim::Lion>(ps, optim::LionOptions{.betas = betas, .weight_decay = decay});
  if (t.optimizer == "adafactor")
    return with_groups<optim::Adafactor>(
        ps, optim::AdafactorOptions{.beta2_decay = t.beta2_decay, .weight_decay = decay});
  if (t.optimizer == "adadelta")
    return with_groups<optim::Adadelta>(
        ps, optim::AdadeltaOptions{.rho = t.rho, .eps = t.adadelta_eps, .weight_decay = decay});
  if (t.optimizer == "adamax")
    return with_groups<optim::Adamax>(
        ps, optim::AdamaxOptions{.betas = betas, .eps = eps, .weight_decay = decay});
  if (t.optimizer == "asgd")
    return with_groups<optim::ASGD>(
        ps, optim::AsgdOptions{
                .lambd = t.lambd, .alpha = t.asgd_alpha, .t0 = t.t0, .weight_decay = decay});
  if (t.optimizer == "rprop")  // lr is the first step of each element
    return {std::make_unique<optim::Rprop>(
                ps, optim::RpropOptions{.lr = t.lr,
                                        .etas = {t.eta_minus, t.eta_plus},
                                        .step_sizes = {t.min_step_size, t.max_step_size}}),
            names_of(ps)};
  return with_groups<optim::Adam>(
      ps,
      optim::AdamOptions{.betas = betas, .eps = eps, .weight_decay = decay, .amsgrad = t.amsgrad});
}

}  // namespace

Optimizers make_optimizers(const NamedTensors& parameters, const TrainSettings& t) {
  if (t.optimizer == "muon") return muon_and_adamw(parameters, t);
  Optimizers one;
  one.push_back(make_optimizer(parameters, t));
  return one;
}

optim::LbfgsOptions lbfgs_options(const TrainSettings& t) {
  return {.max_iter = t.max_iter,
          .tolerance_grad = t.tolerance_grad,
          .tolerance_change = t.tolerance_change,
          .history_size = t.history_size,
          .line_search = t.line_search_fn == "none" ? optim::LineSearchFn::none
                                                    : optim::LineSearchFn::strong_wolfe};
}

void load_state(const Optimizers& optimizers, const NamedTensors& state) {
  std::vector<NamedTensors> parts(optimizers.size());
  for (const NamedTensor& s : state) {  // PARAMETER.exp_avg
    const std::string parameter = s.name.substr(0, s.name.rfind('.'));
    size_t k = 0;  // the first optimizer refuses what none claims
    for (size_t i = 0; i < optimizers.size(); ++i)
      if (optimizers[i].names.contains(parameter)) k = i;
    parts[k].push_back(s);
  }
  for (size_t i = 0; i < optimizers.size(); ++i) optimizers[i].optimizer->load_state_dict(parts[i]);
}

}  // namespace slope::train
