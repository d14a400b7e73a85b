// Optimizers step by step, schedules, clipping and averages against PyTorch's
// (tests/golden/optim.py).
#if __has_include(<nlohmann/json.hpp>)
#include <slope/autograd/grad_mode.h>
#include <slope/autograd/ops.h>
#include <slope/core/loops/copy.h>
#include <slope/core/tensor/factories.h>
#include <slope/optim/classic/adadelta.h>
#include <slope/optim/classic/adamax.h>
#include <slope/optim/classic/asgd.h>
#include <slope/optim/classic/rprop.h>
#include <slope/optim/clip.h>
#include <slope/optim/elementwise/adagrad.h>
#include <slope/optim/elementwise/adamw.h>
#include <slope/optim/elementwise/lion.h>
#include <slope/optim/elementwise/nadam.h>
#include <slope/optim/elementwise/radam.h>
#include <slope/optim/elementwise/rmsprop.h>
#include <slope/optim/elementwise/sgd.h>
#include <slope/optim/ema.h>
#include <slope/optim/lbfgs.h>
#include <slope/optim/plateau.h>
#include <slope/optim/schedule.h>
#include <slope/optim/whole/adafactor.h>
#include <slope/optim/whole/muon.h>
#include <slope/tests/golden.h>
#include <slope/tests/parity.h>

#include <nlohmann/json.hpp>

#include <memory>

using namespace slope;
using namespace slope::optim;
using slope::test::check_close;
using Json = nlohmann::json;

namespace {

const Json& settings() {
  static const Json json = Json::parse(test::golden_text("optim.json"));
  return json;
}

const TensorFile& values(const std::string& suffix) {
  static const TensorFile wide = parse_safetensors(test::golden_text("optim_f64.safetensors"));
  static const TensorFile narrow = parse_safetensors(test::golden_text("optim_f32.safetensors"));
  return suffix == "f64" ? wide : narrow;
}

double tolerance(const std::string& suffix) { return suffix == "f64" ? 1e-12 : 3e-6; }

NamedTensors start_of(const TensorFile& file) {
  NamedTensors parameters;
  for (const char* k : {"a", "b", "c"})
    parameters.emplace_back(
        k, contiguous_copy(file.at(std::string("start/") + k)).set_requires_grad());
  return parameters;
}

Tensor row(const Tensor& x, int64_t k) {  // x[k], without the tape
  Tensor y = Tensor(x.storage(), x.layout().select(0, k), x.dtype());
  return contiguous_copy(y);
}

// A group's options: those that the case names, else PyTorch's defaults. An option is read by its
// name if this optimizer has it.
template <class Options>
void read(const Json& g, Options& o) {
#define SLOPE_READ(NAME)              \
  if constexpr (requires { o.NAME; }) \
    if (g.contains(#NAME)) o.NAME = g[#NAME].template get<decltype(o.NAME)>();
  SLOPE_READ(lr)
  SLOPE_READ(weight_decay)
  SLOPE_READ(maximize)
  SLOPE_READ(rho)
  SLOPE_READ(lambd)
  SLOPE_READ(t0)
  SLOPE_READ(etas)
  SLOPE_READ(step_sizes) SLOPE_READ(betas) SLOPE_READ(eps) SLOPE_READ(amsgrad)
      SLOPE_READ(decoupled_weight_decay) SLOPE_READ(momentum) SLOPE_READ(dampening)
          SLOPE_READ(nesterov) SLOPE_READ(momentum_decay) SLOPE_READ(lr_decay)
              SLOPE_READ(initial_accumulator_value) SLOPE_READ(alpha) SLOPE_READ(centered)
                  SLOPE_READ(beta2_decay) SLOPE_READ(d) SLOPE_READ(ns_coefficients)
                      SLOPE_READ(ns_steps) SLOPE_READ(max_iter) SLOPE_READ(history_size)
                          SLOPE_READ(tolerance_grad) SLOPE_READ(tolerance_change)
#undef SLOPE_READ
                              if constexpr (requires { o.eps1; }) if (g.contains("eps")) {
    o.eps1 = g["eps"][0].get<double>();
    o.eps2 = g["eps"][1];
  }
  if constexpr (requires { o.adjust_lr; })
    if (g.contains("adjust_lr_fn")) o.adjust_lr = MuonOptions::AdjustLr::match_rms_adamw;
}

template <class Optimizer, class Options>
std::unique_ptr<slope::optim::Optimizer> make(const Json& groups, const NamedTensors& parameters) {
  Groups<Options> all;
  for (const Json& g : groups) {
    Group<Options> group;
    for (const auto& [name, p] : parameters)
      for (const Json& wanted : g["parameters"])
        if (wanted == name) group.parameters.push_back({name, p});
    read(g, group.options);
    all.push_back(group);
  }
  return std::make_unique<Optimizer>(all);
}

std::unique_ptr<Optimizer> make_optimizer(const Json& c, const NamedTensors& parameters) {
  const std::string kind = c["optimizer"];
  const Json& g = c["groups"];
  if (kind == "sgd") return make<SGD, SgdOptions>(g, parameters);
  if (kind == "adam") return make<Adam, AdamOptions>(g, parameters);
  if (kind == "adamw") return make<AdamW, AdamWOptions>(g, parameters);
  if (kind == "nadam") return make<NAdam, NadamOptions>(g, parameters);
  if (kind == "radam") return make<RAdam, RadamOptions>(g, parameters);
  if (kind == "adagrad") return make<Adagrad, AdagradOptions>(g, parameters);
  if (kind == "rmsprop") return make<RMSprop, RmspropOptions>(g, parameters);
  if (kind == "lion") return make<Lion, LionOptions>(g, parameters);
  if (kind == "adadelta") return make<Adadelta, AdadeltaOptions>(g, parameters);
  if (kind == "adamax") return make<Adamax, AdamaxOptions>(g, parameters);
  if (kind == "asgd") return make<ASGD, AsgdOptions>(g, parameters);
  if (kind == "rprop") return make<Rprop, RpropOptions>(g, parameters);
  if (kind == "adafactor") return make<Adafactor, AdafactorOptions>(g, parameters);
  REQUIRE(kind == "muon");
  return make<Muon, MuonOptions>(g, parameters);
}

// In f32, rounding errors accumulate over 50 steps with gradients in the thousands; Muon's
// iterations also amplify the rounding of a singular value near 0.
double tolerance(const std::string& suffix, const Json& c) {
  if (suffix == "f64") return tolerance(suffix);
  return c["optimizer"] == "muon" ? 1e-4 : 3e-5;
}

// A part of a schedule that is made of others: its kind and arguments in PyTorch's order.
Schedule part_of(const Json& part) {
  const std::string kind = part[0];
  if (kind == "linear") return [=](int64_t t) { return linear(t, part[3], part[1], part[2]); };
  if (kind == "exponential") return [=](int64_t t) { return exponential(t, part[1]); };
  REQUIRE(kind == "step");
  return [=](int64_t t) { return step_decay(t, part[1], part[2]); };
}

double composed_rate(const Json& s, int64_t step) {
  std::vector<Schedule> parts;
  for (const Json& part : s["parts"]) parts.push_back(part_of(part));
  return s["kind"] == "chained" ? chained(step, parts) : sequential(step, parts, s["milestones"]);
}

double rate(const Json& s, int64_t step) {  // s: settings of a schedule
  const std::string kind = s["kind"];
  const double base = s["base"];
  if (kind == "constant") return base * constant(step);
  if (kind == "constant_until") return base * constant(step, s["total"], s["factor"]);
  if (kind == "linear")
    return base * linear(step, s["total_iters"], s["start_factor"], s["end_factor"]);
  if (kind == "cosine") return base * cosine(step, s["T_max"], double(s["eta_min"]) / base);
  if (kind == "step") return base * step_decay(step, s["step_size"], s["gamma"]);
  if (kind == "multistep") return base * multistep(step, s["milestones"], s["gamma"]);
  if (kind == "exponential") return base * exponential(step, s["gamma"]);
  if (kind == "polynomial") return base * polynomial(step, s["total"], s["power"]);
  if (kind == "restarts")
    return base * cosine_restarts(step, s["T_0"], s["T_mult"], double(s["eta_min"]) / base);
  if (kind == "one_cycle")
    return base *
           one_cycle(step, s["total"], {s["pct_start"], s["div_factor"], s["final_div_factor"]});
  if (kind == "wsd") return base * wsd(step, s["warmup"], s["total"], s["decay"], s["floor"]);
  if (kind == "noam") return base * noam(step, s["d_model"], s["warmup"]);
  if (kind == "inverse_sqrt") return base * inverse_sqrt(step, s["warmup"]);
  if (kind == "cyclic")
    return base * cyclic(step, {.low = s["low"],
                                .up = s["up"],
                                .down = s["down"],
                                .halved = s.value("halved", false),
                                .gamma = s.value("gamma", 1.0)});
  if (kind == "swa") return base * swa(step, s["total"], s["target"], s["by_cosine"]);
  if (kind == "sequential" || kind == "chained") return base * composed_rate(s, step);
  if (kind == "multiplicative")
    return base * multiplicative(step, [&](int64_t t) {
             return 1 - double(s["fall"]) * static_cast<double>(t);
           });
  REQUIRE(kind == "warmup_cosine");
  return base * warmup_cosine(step, s["warmup"], s["total"], s["floor"]);
}

}  // namespace

TEST_CASE("optimizers: 50 steps equal PyTorch's") {
  int cases = 0;
  for (const std::string suffix : {"f64", "f32"})
    for (const auto& [name, c] : settings()["cases"].items()) {
      const TensorFile& file = values(suffix);
      const NamedTensors parameters = start_of(file);
      const auto optimizer = make_optimizer(c, parameters);
      int64_t shown = 0;
      for (int64_t step = 0; step < 50; ++step) {
        for (const auto& [k, p] : parameters) p.set_grad(row(file.at("gradient/" + k), step));
        if (c.contains("schedule")) {
          const Json& s = settings()["schedules"][std::string(c["schedule"])];
          optimizer->set_lr_factor(rate(s, step) / double(s["base"]));
        }
        optimizer->step();
        if (settings()["shown"][static_cast<size_t>(shown)] != step) continue;
        for (const auto& [k, p] : parameters) {
          const Tensor theirs = row(file.at(name + "/" + k), shown);
          check_close(p, theirs, tolerance(suffix, c), tolerance(suffix, c),
                      fmt::format("{} {} {} step {}", suffix, name, k, step));
          test::record_parity("optim." + std::string(c["optimizer"]), p.dtype(),
                              test::relative_error(p, theirs));
        }
        ++shown;
      }
      CHECK(shown == 8);
      ++cases;
    }
  CHECK(cases == 2 * 67);
}

TEST_CASE("lbfgs: every step and the number of evaluations equal PyTorch's; its state continues") {
  for (const auto& item : settings()["lbfgs"].items()) {
    const Json& s = item.value()["settings"];
    LbfgsOptions o;
    read(s, o);
    if (s.contains("max_eval")) o.max_eval = s["max_eval"].get<int64_t>();
    if (s.contains("line_search_fn")) o.line_search = LineSearchFn::strong_wolfe;

    const auto start = item.value()["start"].get<std::vector<double>>();
    const Tensor x = from_vector(start, {4}).set_requires_grad();
    auto lbfgs = std::make_unique<LBFGS>(NamedTensors{{"x", x}}, o);
    int64_t calls = 0;
    const auto closure = [&] {
      ++calls;
      lbfgs->zero_grad();
      const Tensor low = narrow(x, 0, 0, 3), high = narrow(x, 0, 1, 3);
      const Tensor loss = sum(100 * pow(high - low * low, 2) + pow(1 - low, 2));
      loss.backward();
      return loss.item();
    };
    const auto expected = [&](const char* what) {
      return values("f64").at("lbfgs/" + item.key() + "/" + what);
    };
    const int64_t steps = expected("x").size(0);
    for (int64_t step = 0; step < steps; ++step) {
      CAPTURE(item.key());
      CAPTURE(step);
      const double loss = lbfgs->step(closure);
      check_close(x, row(expected("x"), step), 1e-8, 1e-8, item.key());
      check_close(tensor(loss, f64), row(expected("loss"), step), 1e-8, 1e-8, item.key());
      CHECK(calls == row(expected("evaluations"), step).item<int64_t>());
      if (step != steps / 2) continue;
      auto other = std::make_unique<LBFGS>(NamedTensors{{"x", x}}, o);
      other->load_state_dict(lbfgs->state_dict());
      CHECK(other->evaluations() == calls);
      lbfgs = std::move(other);
    }
  }
}

TEST_CASE("schedules: every rate equals PyTorch's") {
  for (const auto& item : settings()["schedules"].items())
    for (size_t step = 0; step < item.value()["lr"].size(); ++step) {
      const Json& s = item.value();
      const std::string& name = item.key();
      const double expected = s["lr"][step];
      CHECK_MESSAGE(rate(s, static_cast<int64_t>(step)) == doctest::Approx(expected).epsilon(1e-12),
                    name << ", step " << step);
    }
}

TEST_CASE("plateau: every rate equals PyTorch's; a state continues") {
  for (const auto& item : settings()["plateaus"].items()) {
    const Json& s = item.value()["settings"];
    PlateauOptions o{.larger_is_better = s.value("mode", "min") == "max",
                     .factor = s.value("factor", 0.1),
                     .patience = s["patience"],
                     .threshold = s.value("threshold", 1e-4),
                     .absolute = s.value("threshold_mode", "rel") == "abs",
                     .cooldown = s.value("cooldown", 0),
                     .least = s.value("min_lr", 0.0) / 0.4};
    ReduceOnPlateau plateau(o);
    const Json &figures = item.value()["figures"], &lr = item.value()["lr"];
    for (size_t i = 0; i < figures.size(); ++i) {
      CHECK_MESSAGE(0.4 * plateau.step(figures[i]) == doctest::Approx(double(lr[i])).epsilon(1e-12),
                    item.key() << ", epoch " << i);
      ReduceOnPlateau other(o);
      other.load_state(plateau.state());
      plateau = other;
    }
  }
  CHECK_THROWS_AS(ReduceOnPlateau({.factor = 1}), UsageError);
}

TEST_CASE(
    "clipping: norms and clipped gradients equal PyTorch's; a norm that is not finite changes "
    "nothing") {
  for (const std::string suffix : {"f64", "f32"})
    for (const auto& [name, s] : settings()["clips"].items()) {
      const TensorFile& file = values(suffix);
      NamedTensors named;
      Tensors parameters;
      for (int k = 0; k < 3; ++k) {
        const Tensor g = contiguous_copy(file.at(fmt::format("clip/{}/in{}", name, k)));
        const Tensor p = zeros(g.shape(), g.dtype()).set_requires_grad();
        p.set_grad(g);
        parameters.push_back(p);
        named.push_back({fmt::format("p{}", k), p});
      }
      const std::string bad = first_nonfinite_grad(named);
      double norm = 0;
      if (s.contains("clip_value")) {
        clip_grad_value(parameters, s["clip_value"]);
      } else {
        norm = clip_grad_norm(parameters, s["max_norm"],
                              s["norm_type"] == "inf" ? INFINITY : double(s["norm_type"]));
        check_close(tensor(norm, f64), contiguous_copy(file.at("clip/" + name + "/norm"), f64),
                    tolerance(suffix), 0, name + " norm");
      }
      if (s.contains("max_norm")) {  // the norm given by the caller
        const Tensor p = zeros(parameters[0].shape(), parameters[0].dtype()).set_requires_grad();
        p.set_grad(contiguous_copy(file.at("clip/" + name + "/in0")));
        clip_grads_with_norm({p}, s["max_norm"], norm);
        CHECK(equal(p.grad(), parameters[0].grad()));
      }
      CHECK(bad == (std::isfinite(norm) ? "" : "p1"));
      for (int k = 0; k < 3; ++k)
        check_close(
            parameters[static_cast<size_t>(k)].grad(),
            file.at(fmt::format("clip/{}/{}{}", name, std::isfinite(norm) ? "out" : "in", k)),
            tolerance(suffix), 0, fmt::format("{} {}", name, k));
    }
}

TEST_CASE("ema: every average of 20 steps, and the model holds them while averaged") {
  for (const std::string suffix : {"f64", "f32"})
    for (const char* decay : {"0.9", "0.999"}) {
      const TensorFile& file = values(suffix);
      const NamedTensors parameters = start_of(file);
      Ema ema(parameters, std::stod(decay));
      for (int64_t step = 0; step < 20; ++step) {
        for (const auto& [k, p] : parameters) {
          const NoGrad no_grad;
          copy_into(row(file.at("path/" + k), step), p);
        }
        ema.update();
        for (size_t k = 0; k < 3; ++k) {
          const auto& [name, p] = parameters[k];
          const Tensor expected = row(file.at(fmt::format("ema/{}/{}", decay, name)), step);
          const Tensor own = contiguous_copy(p);
          check_close(ema.averages()[k].tensor, expected, tolerance(suffix), tolerance(suffix),
                      name);
          {
            const Averaged averaged(ema);
            check_close(p, expected, tolerance(suffix), tolerance(suffix), name);
          }
          check_close(p, own, 0, 0, name);
        }
      }
    }
}

TEST_CASE("swa: with the decay t / (t + 1) an average is the mean of all, PyTorch's") {
  for (const std::string suffix : {"f64", "f32"}) {
    const TensorFile& file = values(suffix);
    const NamedTensors parameters = start_of(file);
    Ema mean(parameters, 0.5);
    for (int64_t step = 0; step < 20; ++step) {
      for (const auto& [k, p] : parameters) {
        const NoGrad no_grad;
        copy_into(row(file.at("path/" + k), step), p);
      }
      mean.update(swa_decay(step));
      for (const auto& [name, e] : mean.averages())
        check_close(e, row(file.at("swa/" + name), step), tolerance(suffix), tolerance(suffix),
                    name);
    }
  }
}
#endif
